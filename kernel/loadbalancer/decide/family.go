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
//	none of its       –                 refused            a note: what serves stays, until one that nodes answer replaces it
//
// A node answers for a Service in the Service's families only. Clients may have another family where the balancer ends connections.

const fieldFamilies = "spec.ipFamilies"

// unanswered refuses a new balancer whose targets would not answer.
func (c Case) unanswered(s desired) []problem.Warning {
	families := c.Asked.Input.Families()
	targets, silent := c.silent(s.input, s.wanted)
	if !silent {
		return nil
	}
	return []problem.Warning{problem.Invalid(fieldFamilies, families.String(), fmt.Sprintf(
		"want %s, alone or beside another family: the load balancer would reach nodes at %s addresses only, where they do not answer for a Service of %s", targets, targets, families))}
}

// silent reports whether the nodes answer the Service in none of the families in which a balancer reaches them, which it returns.
func (c Case) silent(in cloud.Input, b cloud.Balancer) (targets cloud.Families, silent bool) {
	_, targets = c.Cloud.Families(in, b)
	return targets, targets.Without(c.Asked.Input.Families()) == targets
}

// familyWarnings say which families of the Service are not served. What a driver says of them is not said twice.
func (c Case) familyWarnings(s desired) []problem.Warning {
	families := c.Asked.Input.Families()
	clients, _ := c.Cloud.Families(s.input, s.possible)
	left := families.Without(clients)
	told := slices.ContainsFunc(s.warnings, func(w cloud.Warning) bool { return strings.HasPrefix(w.Field, "spec.ipFamil") })
	targets, silent := c.silent(s.input, s.possible)
	switch worse := c.unanswered(s); {
	case !silent && len(s.blocked) > 0 && len(worse) > 0:
		return []problem.Warning{problem.Warn(event.ConfigurationIgnored, worse[0].Message+"; it is not replaced")}
	case silent:
		return []problem.Warning{problem.Warn(event.ConfigurationIgnored, fmt.Sprintf(
			"%s: the load balancer reaches nodes at %s addresses, where they do not answer for a Service of %s; it stays as it is", fieldFamilies, targets, families))}
	case left != cloud.Families{} && !told:
		return []problem.Warning{problem.Warn(event.ConfigurationIgnored, fmt.Sprintf(
			"%s: the load balancer has %s addresses only, so clients do not reach the Service over %s", fieldFamilies, clients, left))}
	}
	return nil
}
