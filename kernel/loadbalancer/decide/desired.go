package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// desired is the balancer a spec asks for, without targets, as far as the cloud lets it be
// changed.
type desired struct {
	// wanted is what was asked for.
	wanted cloud.Balancer
	// possible is the same with immutable fields as they are; input says that they are preserved.
	possible cloud.Balancer
	input    cloud.Input
	// blocked are the changes of immutable fields that were asked for.
	blocked  []cloud.Operation
	warnings []cloud.Warning
}

const immutableBlock = "this cloud cannot change it on an existing balancer"

// desired normalizes what the Service asks for, twice where immutable fields differ from what is observed.
func (s Subject) desired(in cloud.Input, observed cloud.Observed) (desired, error) {
	immutable := s.Cloud.Descriptor.Capabilities.Immutable
	wanted, notes, err := s.Cloud.Balancers.Normalize(in)
	if err != nil {
		return desired{}, err
	}
	w := desired{wanted: wanted, possible: wanted, input: in, warnings: notes}
	if !observed.Found {
		return w, unique(wanted)
	}
	if w.blocked = immutableChanges(observed.Balancer, wanted, immutable); len(w.blocked) == 0 {
		return w, unique(wanted)
	}
	w.input.Preserved = preserved(observed.Balancer, immutable)
	if w.possible, w.warnings, err = s.Cloud.Balancers.Normalize(w.input); err != nil {
		return desired{}, err
	}
	if left := immutableChanges(observed.Balancer, w.possible, immutable); len(left) > 0 {
		return desired{}, fmt.Errorf("keeping %s as it is: the driver asks for %q", left[0].Field, left[0].After)
	}
	return w, unique(w.possible)
}

// unique refuses two listeners on one port, which no later step could tell apart.
func unique(b cloud.Balancer) error {
	seen := map[string]bool{}
	for _, l := range b.Listeners {
		if seen[l.Key()] {
			return &cloud.Invalid{Field: "spec.ports", Value: l.Key(), Want: "each port can have one listener of a transport"}
		}
		seen[l.Key()] = true
	}
	return nil
}

// immutableChanges returns the differences in immutable fields as blocked operations.
func immutableChanges(before, after cloud.Balancer, immutable []string) []cloud.Operation {
	var blocked []cloud.Operation
	for _, op := range difference.Fields(cloud.KindBalancer, "", before.Fields(), after.Fields()) {
		if slices.Contains(immutable, op.Field) {
			op.Blocked = immutableBlock
			blocked = append(blocked, op)
		}
	}
	return blocked
}

// preserved returns the present value of every immutable field, also of those that do not
// differ: pinning one may change the default of another.
func preserved(b cloud.Balancer, immutable []string) map[string]string {
	fields, kept := b.Fields(), map[string]string{}
	for _, name := range immutable {
		kept[name] = fields[name]
	}
	return kept
}

// immutableWarnings say what stays as it is, and what it takes to change it all the same.
func immutableWarnings(blocked []cloud.Operation, way string) []problem.Warning {
	var warnings []problem.Warning
	for _, op := range blocked {
		warnings = append(warnings, problem.Warn(event.ImmutableChange, fmt.Sprintf(
			"%s stays %q instead of %q: %s", op.Field, op.Before, op.After, immutableBlock)))
	}
	if len(warnings) > 0 {
		warnings = append(warnings, problem.Warn(event.ImmutableChange, "with "+annotation.AllowReplacement.Name+", "+way))
	}
	return warnings
}

// wayOf says how a balancer of the Service takes the place of the observed one: beside it, or after its
// deletion and why.
func (s Subject) wayOf(in cloud.Input, observed cloud.Observed) (beside bool, why string) {
	replacer := s.Cloud.Replacer
	if replacer == nil || s.Cloud.Descriptor.IDAnnotation == "" {
		return false, "this cloud cannot have both"
	}
	why = replacer.Coexist(in, observed)
	return why == "", why
}

// wayText says in words what a replacement would do.
func wayText(beside bool, why string) string {
	if beside {
		return "a new balancer is made first, and the present one is deleted once the new one serves; its address may change"
	}
	return fmt.Sprintf("the present balancer has to be deleted first, because %s: there is no service until the new one is made, and the address may change", why)
}

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
func (s Subject) unanswered(w desired) []problem.Warning {
	families := s.Asked.Input.Families()
	targets, silent := s.silent(w.input, w.wanted)
	if !silent {
		return nil
	}
	return []problem.Warning{problem.Invalid(fieldFamilies, families.String(), fmt.Sprintf(
		"want %s, alone or beside another family: the load balancer would reach nodes at %s addresses only, where they do not answer for a Service of %s", targets, targets, families))}
}

// silent reports whether the nodes answer the Service in none of the families in which a balancer reaches them, which it returns.
func (s Subject) silent(in cloud.Input, b cloud.Balancer) (targets cloud.Families, silent bool) {
	_, targets = s.Cloud.Families(in, b)
	return targets, targets.Without(s.Asked.Input.Families()) == targets
}

// familyWarnings say which families of the Service are not served. What a driver says of them is not said twice.
func (s Subject) familyWarnings(w desired) []problem.Warning {
	families := s.Asked.Input.Families()
	clients, _ := s.Cloud.Families(w.input, w.possible)
	left := families.Without(clients)
	told := slices.ContainsFunc(w.warnings, func(w cloud.Warning) bool { return strings.HasPrefix(w.Field, "spec.ipFamil") })
	targets, silent := s.silent(w.input, w.possible)
	switch worse := s.unanswered(w); {
	case !silent && len(w.blocked) > 0 && len(worse) > 0:
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
