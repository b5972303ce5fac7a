package cloud

import (
	"context"
	"strings"
)

// Operations is for clouds whose changes go on after the answer, and may fail then: Hetzner's actions, Google's operations, Octavia's
// load balancers that are pending. A change that does so names what runs, in Progress.Operations, by a *Running or by
// ResourceKind.Settles. Several changes may name the same. The kernel asks for those of all Services together. Nothing is remembered
// over a restart: then what is observed has to tell.
type Operations interface {
	// OperationStates returns the states of these operations, in as few requests as the API allows. An
	// operation that the cloud does not know any more is missing in the answer.
	OperationStates(ctx context.Context, ids []string) (map[string]OperationState, error)
}

// OperationState is how far an operation is.
type OperationState struct {
	// Running says that it goes on.
	Running bool
	// Err is why it failed, nil while it runs or when it is done. Driver.Classify knows it.
	Err error
}

// Running is the error of a write that was accepted and goes on: of a step of a balancer, of a route
// or of a firewall. It is no failure.
type Running struct {
	// Operations are the ids of what runs.
	Operations []string
}

func (r *Running) Error() string { return "it goes on as " + strings.Join(r.Operations, ", ") }

// GoesOn returns the error of a write that goes on as these operations, nil when there are none.
func GoesOn(operations ...string) error {
	if len(operations) == 0 {
		return nil
	}
	return &Running{operations}
}
