package transport

import "context"

// otherOperation labels requests made outside of any driver call, such as those of a
// constructor.
const otherOperation = "other"

type operationKey struct{}

// WithOperation returns a context whose requests are measured under that name. kernel/run
// sets it for every driver call.
func WithOperation(ctx context.Context, op string) context.Context {
	return context.WithValue(ctx, operationKey{}, op)
}

// OperationOf returns the name of the driver call a context belongs to, "other" when none.
func OperationOf(ctx context.Context) string {
	if op, ok := ctx.Value(operationKey{}).(string); ok {
		return op
	}
	return otherOperation
}
