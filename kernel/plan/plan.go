// Package plan is what would be done: the operations between what is and what should be,
// and how they are printed for people and programs.
package plan

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Plan is what one reconciliation of one subject would do.
type Plan struct {
	// Cloud is the name of the cloud entry, with one cloud the provider's name.
	Cloud string `json:"cloud"`
	// Subject is what the plan is for, such as "Service shop/web".
	Subject string `json:"subject"`
	// Operations are in the order of execution; blocked ones are listed, not executed.
	Operations []cloud.Operation `json:"operations"`
	// Steps are the changes of single resources that the operations amount to, in the order of
	// execution, where the cloud's load balancers consist of several resources.
	Steps []cloud.Operation `json:"steps,omitempty"`
}

// Empty reports whether there is nothing to execute. A plan of blocked operations only is
// empty.
func (p Plan) Empty() bool { return len(p.Executable()) == 0 }

// Executable returns the operations that are not blocked, nil when there are none.
func (p Plan) Executable() []cloud.Operation {
	var executable []cloud.Operation
	for _, op := range p.Operations {
		if op.Blocked == "" {
			executable = append(executable, op)
		}
	}
	return executable
}

// BlockedBy returns the plan with all operations blocked for a reason, but for those that are blocked already.
func (p Plan) BlockedBy(why string) Plan {
	p.Operations = slices.Clone(p.Operations)
	for i := range p.Operations {
		if op := &p.Operations[i]; op.Blocked == "" {
			op.Blocked = why
		}
	}
	return p
}
