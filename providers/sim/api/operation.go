package api

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// MaxOperations is the most operations in one request.
const MaxOperations = 50

// Operation is a change that goes on after its answer.
type Operation struct {
	ID      string `json:"id"`
	Running bool   `json:"running"`
	// Failure is why it failed, nil while it runs or when it is done.
	Failure *Failure `json:"failure,omitempty"`
}

func (o Operation) state() cloud.OperationState {
	state := cloud.OperationState{Running: o.Running}
	if o.Failure != nil {
		state.Err = o.Failure
	}
	return state
}
