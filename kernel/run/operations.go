package run

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

type operations struct {
	*caller
	next cloud.Operations
}

var _ cloud.Operations = (*operations)(nil)

// OperationStates classifies what an operation failed with, as if its change had failed at once. The text does not
// name the operation: the same failure has the same text each time, and so one event.
func (o *operations) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	states, err := call(ctx, o.caller, opOperationStates, func(ctx context.Context) (map[string]cloud.OperationState, error) {
		return o.next.OperationStates(ctx, ids)
	})
	for id, state := range states {
		if state.Err != nil {
			failure := o.failure(state.Err)
			o.count(ctx, opOperationStates, failure)
			state.Err = &cloud.Error{Failure: failure, Op: "operation", Err: state.Err}
			states[id] = state
		}
	}
	return states, err
}
