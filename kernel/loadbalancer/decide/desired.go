package decide

import (
	"fmt"
	"slices"

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
func (c Case) desired(in cloud.Input, observed cloud.Observed) (desired, error) {
	immutable := c.Cloud.Descriptor.Capabilities.Immutable
	wanted, notes, err := c.Cloud.Balancers.Normalize(in)
	if err != nil {
		return desired{}, err
	}
	s := desired{wanted: wanted, possible: wanted, input: in, warnings: notes}
	if !observed.Found {
		return s, unique(wanted)
	}
	if s.blocked = immutableChanges(observed.Balancer, wanted, immutable); len(s.blocked) == 0 {
		return s, unique(wanted)
	}
	s.input.Preserved = preserved(observed.Balancer, immutable)
	if s.possible, s.warnings, err = c.Cloud.Balancers.Normalize(s.input); err != nil {
		return desired{}, err
	}
	if left := immutableChanges(observed.Balancer, s.possible, immutable); len(left) > 0 {
		return desired{}, fmt.Errorf("keeping %s as it is: the driver asks for %q", left[0].Field, left[0].After)
	}
	return s, unique(s.possible)
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
