package cloud

import "context"

// Priority orders calls that wait for the API's rate limit.
type Priority int

// Priorities, the most urgent first.
const (
	PriorityBalancer Priority = iota
	PriorityNodeInit
	PriorityExistence
	PriorityRefresh
)

type priorityKey struct{}

// WithPriority returns a context whose cloud calls have that priority.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// PriorityOf returns the priority of a context, PriorityRefresh when it has none.
func PriorityOf(ctx context.Context) Priority {
	if p, ok := ctx.Value(priorityKey{}).(Priority); ok {
		return p
	}
	return PriorityRefresh
}
