package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// passes is how often a change may say "pending" before it has to be through, unless the
// Harness says otherwise.
const passes = 5

// seen are the values managed fields had in the whole run, by field name.
type seen map[string]map[string]bool

func (s seen) add(fields map[string]string) {
	for name, value := range fields {
		if s[name] == nil {
			s[name] = map[string]bool{}
		}
		s[name][value] = true
	}
}

func (s seen) balancer(b cloud.Balancer) {
	s.add(b.Fields())
	for _, l := range b.Listeners {
		for name, value := range l.Fields() {
			s.add(map[string]string{"listener." + name: value})
		}
	}
}

// draft is what one reconciliation would do.
type draft struct {
	input      cloud.Input
	before     cloud.Observed
	after      cloud.Balancer
	notes      []cloud.Warning
	operations []cloud.Operation
}

// draft observes and compares; it changes nothing.
func (f *fixture) draft(in cloud.Input) (draft, error) {
	before, err := f.balancers().Observe(f.ctx(), in)
	if err != nil {
		return draft{}, err
	}
	before = before.Resolve(in.Candidates)
	in.Findings = before.Findings
	if before.Found {
		in.ID = before.ID
	}
	after, notes, err := f.balancers().Normalize(in)
	if err != nil {
		return draft{}, err
	}
	if validator := f.group().Validator; validator != nil {
		f.must(validator.Validate(in.Spec, false), "Validate of what Normalize accepts")
	}
	after = after.Clone()
	for _, candidate := range in.Candidates {
		if f.balancers().Eligible(after, candidate) == "" {
			after.Targets = append(after.Targets, candidate.InstanceID)
		}
	}
	slices.Sort(after.Targets)
	f.suite.seen.balancer(after)
	d := draft{
		input: in, before: before, after: after, notes: notes,
		operations: difference.Order(difference.Of(before.Balancer, after)),
	}
	if !before.Found || before.State != cloud.BalancerActive || len(d.operations) > 0 {
		return d, nil
	}
	steps, err := f.plannedSteps(d.change(nil)) // differences that the portable view does not show
	if steps != nil {
		d.operations = *steps
	}
	return d, err
}

// apply executes a draft as the kernel would: creation is one operation.
func (f *fixture) apply(d draft) (cloud.Progress, error) {
	operations := d.operations
	if !d.before.Found {
		operations = []cloud.Operation{{Verb: cloud.Create, Kind: cloud.KindBalancer}}
	}
	return f.carryOut(d.change(operations))
}

func (d draft) change(operations []cloud.Operation) cloud.Change {
	return cloud.Change{Input: d.input, Before: d.before, After: &d.after, Operations: operations}
}

var errStuck = errors.New("a change does not lead to what was asked for")

// reconcile makes the balancer what the spec asks for: one change, and further ones only
// where the driver said "pending", or that a part is left for later.
func (f *fixture) reconcile(in cloud.Input) (cloud.Observed, error) {
	final := false
	var told cloud.Progress
	var planned *[]cloud.Operation
	f.restart()
	most := cmp.Or(f.suite.Passes, passes)
	for range most {
		d, err := f.draft(in)
		switch err = cmp.Or(err, asTold(told, d.before), f.asAnswered(in, d.before)); {
		case err != nil:
			return cloud.Observed{}, err
		case d.before.Found && d.before.State == cloud.BalancerPending:
			f.control.Settle()
			continue
		case d.before.Found && len(d.operations) == 0:
			return d.before, f.asPlanned(planned)
		case final:
			return d.before, fmt.Errorf("%w; left after the driver said done:\n%s", errStuck, text(d.operations))
		}
		if planned == nil {
			if planned, err = f.plannedSteps(d.change(nil)); err != nil {
				return d.before, err
			}
		}
		progress, err := f.apply(d)
		if err != nil {
			return d.before, err
		}
		f.control.Settle()
		told = progress
		final = !progress.Pending && progress.Again == 0
		if !progress.Pending && progress.Again > 0 { // what is left for later is a plan of its own
			if err := f.asPlanned(planned); err != nil {
				return d.before, err
			}
			planned = nil
			f.restart()
		}
	}
	return cloud.Observed{}, fmt.Errorf("%w after %d changes", errStuck, most)
}

// isGone returns an error where the driver says that this deletion, or any, is done when it is acknowledged, and it
// is not.
func isGone(f *fixture, change cloud.Change) error {
	if !f.suite.Descriptor.Capabilities.DeletesAtOnce && !change.Before.Sole {
		return nil
	}
	o, err := f.balancers().Observe(f.ctx(), change.Input)
	if err == nil && o.Found && o.ID == change.Before.ID {
		err = fmt.Errorf("balancer %s is there after its deletion", o.ID)
	}
	return err
}

// asTold returns an error where a change has told of another balancer than the one that is there.
func asTold(p cloud.Progress, is cloud.Observed) error {
	told := p.Observed
	if p.Pending || told == nil || told.State != cloud.BalancerActive || is.State == cloud.BalancerPending {
		return nil
	}
	if is.ID != told.ID || is.Owner.UID != told.Owner.UID || !slices.Equal(is.Addresses, told.Addresses) {
		return fmt.Errorf("a change told of balancer %s of %q at %v, and %s of %q at %v is there",
			told.ID, told.Owner.UID, told.Addresses, is.ID, is.Owner.UID, is.Addresses)
	}
	return nil
}

// ensure is reconcile that has to succeed; it returns the spec with the id recorded.
func (f *fixture) ensure(in cloud.Input) (cloud.Input, cloud.Observed) {
	f.Helper()
	observed, err := f.reconcile(in)
	f.must(err, "making the balancer")
	if observed.ID == "" || observed.State != cloud.BalancerActive {
		f.Fatalf("the balancer has id %q and state %q; want an id and %q", observed.ID, observed.State, cloud.BalancerActive)
	}
	in.ID = observed.ID
	return in, observed
}

// difference returns what would be changed now.
func (f *fixture) difference(in cloud.Input) draft {
	f.Helper()
	d, err := f.draft(in)
	f.must(err, "observing and normalizing")
	return d
}

// remove deletes the balancer and waits until it is gone.
func (f *fixture) remove(in cloud.Input) {
	f.Helper()
	f.must(f.destroy(cloud.Change{Input: in}), "deleting")
	if after, err := f.balancers().Observe(f.ctx(), in); err != nil || after.Found {
		f.Fatalf("Observe after deletion = found %t, %v; want a clean not-found", after.Found, err)
	}
}

// destroy carries out a deletion: one change, and further ones for as long as the driver says
// "pending" and the balancer is there.
func (f *fixture) destroy(change cloud.Change) error { return f.destroyFrom(f.balancers(), change) }

// destroyFrom is destroy with a bulk list for the first look.
func (f *fixture) destroyFrom(list cloud.BulkList, change cloud.Change) (err error) {
	f.restart()
	if change.Before, err = list.Observe(f.ctx(), change.Input); err != nil {
		return err
	}
	planned, err := f.plannedSteps(change)
	if err != nil {
		return err
	}
	deleted := change.Before.ID
	for range cmp.Or(f.suite.Passes, passes) {
		progress, err := f.carryOut(change)
		if err != nil {
			return err
		}
		if err := isGone(f, change); err != nil {
			return err
		}
		f.control.Settle()
		if !progress.Pending {
			return f.asPlanned(planned)
		}
		if change.Before, err = f.balancers().Observe(f.ctx(), change.Input); err != nil {
			return err
		}
		if left := !change.Before.Found && change.Before.Orphans; change.Before.ID != deleted && !left { // gone, or another balancer of the Service
			return f.asPlanned(planned)
		}
	}
	return fmt.Errorf("%w: the balancer is still being deleted", errStuck)
}

func text(operations []cloud.Operation) string {
	var out strings.Builder
	_ = plan.Plan{Operations: operations}.Text(&out) // a Builder takes everything
	return out.String()
}
