package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// The address families of a Service, where the balancer reaches its targets, and where clients reach it:
//
//	targets           clients           a new balancer     one that is there
//	a family of its   each of its       made               –
//	a family of its   not each of its   made, with a note  a note
//	none of its       –                 refused            a note: what serves stays, also where it would be replaced
//
// A node answers for a Service in the Service's families only. Clients may have another family where the balancer ends connections.

const fieldFamilies = "spec.ipFamilies"

// unanswered refuses a new balancer whose targets would not answer.
func (p Policy) unanswered(s desired) []problem.Warning {
	targets, silent := p.silent(s)
	if !silent {
		return nil
	}
	return []problem.Warning{problem.Invalid(fieldFamilies, p.Input.Families().String(), fmt.Sprintf(
		"want %s, alone or beside another family: the load balancer would reach nodes at %s addresses only, where no other Service answers", targets, targets))}
}

// silent reports whether the nodes answer the Service in none of the families in which they are reached, which it returns.
func (p Policy) silent(s desired) (targets cloud.Families, silent bool) {
	_, targets = p.Cloud.Families(s.input, s.possible)
	return targets, targets.Without(p.Input.Families()) == targets
}

// familyWarnings say which families of the Service are not served. What a driver says of them is not said twice.
func (p Policy) familyWarnings(s desired) []problem.Warning {
	families := p.Input.Families()
	clients, _ := p.Cloud.Families(s.input, s.possible)
	left := families.Without(clients)
	told := slices.ContainsFunc(s.warnings, func(w cloud.Warning) bool { return strings.HasPrefix(w.Field, "spec.ipFamil") })
	switch targets, silent := p.silent(s); {
	case silent:
		return []problem.Warning{problem.Warn(event.ConfigurationIgnored, fmt.Sprintf(
			"%s: the load balancer reaches nodes at %s addresses, where they do not answer for a Service of %s; it stays as it is", fieldFamilies, targets, families))}
	case left != cloud.Families{} && !told:
		return []problem.Warning{problem.Warn(event.ConfigurationIgnored, fmt.Sprintf(
			"%s: the load balancer has %s addresses only, so clients do not reach the Service over %s", fieldFamilies, clients, left))}
	}
	return nil
}
