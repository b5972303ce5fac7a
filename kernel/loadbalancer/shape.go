package loadbalancer

import (
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// shape is the balancer a spec asks for, without targets, as far as the cloud lets it be
// changed.
type shape struct {
	// wanted is what was asked for.
	wanted cloud.Balancer
	// possible is the same with immutable fields as they are; spec has them pinned.
	possible cloud.Balancer
	spec     cloud.Spec
	// frozen are the changes of immutable fields that were asked for.
	frozen []cloud.Operation
	notes  []cloud.Note
}

const frozenBlock = "this cloud cannot change it on an existing balancer"

// shapeOf normalizes the spec, twice where immutable fields differ from what is observed.
// It is pure.
func shapeOf(b cloud.Balancers, spec cloud.Spec, observed cloud.Observed, immutable []string) (shape, error) {
	wanted, notes, err := b.Normalize(spec)
	if err != nil {
		return shape{}, err
	}
	s := shape{wanted: wanted, possible: wanted, spec: spec, notes: notes}
	if !observed.Found {
		return s, unique(wanted)
	}
	if s.frozen = frozen(observed.Balancer, wanted, immutable); len(s.frozen) == 0 {
		return s, unique(wanted)
	}
	s.spec.Pinned = pins(observed.Balancer, immutable)
	if s.possible, s.notes, err = b.Normalize(s.spec); err != nil {
		return shape{}, err
	}
	if left := frozen(observed.Balancer, s.possible, immutable); len(left) > 0 {
		return shape{}, fmt.Errorf("keeping %s as it is: the driver asks for %q", left[0].Field, left[0].After)
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

// frozen returns the differences in immutable fields as blocked operations.
func frozen(before, after cloud.Balancer, immutable []string) []cloud.Operation {
	var blocked []cloud.Operation
	for _, op := range diffFields(cloud.KindBalancer, "", before.Fields(), after.Fields()) {
		if slices.Contains(immutable, op.Field) {
			op.Blocked = frozenBlock
			blocked = append(blocked, op)
		}
	}
	return blocked
}

// pins returns the present value of every immutable field, also of those that do not
// differ: pinning one may change the default of another.
func pins(b cloud.Balancer, immutable []string) map[string]string {
	fields, pinned := b.Fields(), map[string]string{}
	for _, name := range immutable {
		pinned[name] = fields[name]
	}
	return pinned
}

// frozenRemarks say what stays as it is, and what it takes to change it all the same.
func frozenRemarks(blocked []cloud.Operation, way string) []remark {
	var remarks []remark
	for _, op := range blocked {
		remarks = append(remarks, remark{event.ImmutableChange, fmt.Sprintf(
			"%s stays %q instead of %q: %s", op.Field, op.Before, op.After, frozenBlock)})
	}
	if len(remarks) > 0 {
		remarks = append(remarks, remark{event.ImmutableChange, "with " + annotation.AllowReplacement.Name + ", " + way})
	}
	return remarks
}
