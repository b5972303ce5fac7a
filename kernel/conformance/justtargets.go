package conformance

import (
	"cmp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
)

// justTargets brings targets to other machines, each time after a look that need not show more than that takes. Nothing else may
// change, and nothing but fields may be left out.
func justTargets(f *fixture) {
	in := f.withMachines(f.spec(basic), "node-1", "node-2", "node-3")
	all := in.Candidates
	in.Candidates = all[:2]
	in, whole := f.ensure(in)
	for _, candidates := range [][]cloud.Target{all, all[1:]} {
		in.Candidates, in.JustTargets = candidates, true
		seen, err := f.balancers().Observe(f.ctx(), in)
		f.must(err, "looking at the targets")
		shown := seen.Resolve(all) // what was a target before goes by an address in some clouds
		left := slices.DeleteFunc(difference.Of(whole.Balancer, shown.Balancer), func(op cloud.Operation) bool {
			return op.Verb == cloud.Update && op.Kind != cloud.KindTarget && op.After == ""
		})
		if len(left) > 0 {
			f.Errorf("a look for targets alone says something else than a whole one:\n%s", text(left))
		}
		f.must(f.retarget(in, seen.Resolve(candidates)), "changing the targets")
		in.JustTargets = false
		if d := f.difference(in); len(d.operations) > 0 {
			f.Errorf("after a change of the targets alone this is left:\n%s", text(d.operations))
		}
		in, whole = f.ensure(in)
	}
}

// retarget changes the targets of a balancer that was looked at, and nothing else.
func (f *fixture) retarget(in cloud.Input, seen cloud.Observed) error {
	for range cmp.Or(f.suite.Passes, passes) {
		after := seen.Balancer.Clone()
		after.Targets = nil
		for _, candidate := range in.Candidates {
			after.Targets = append(after.Targets, candidate.InstanceID)
		}
		slices.Sort(after.Targets)
		d := draft{input: in, before: seen, after: after, operations: difference.Order(difference.Of(seen.Balancer, after))}
		if len(d.operations) == 0 {
			return nil
		}
		_, err := f.apply(d)
		if err != nil {
			return err
		}
		f.control.Settle()
		if seen, err = f.balancers().Observe(f.ctx(), in); err != nil {
			return err
		}
		seen = seen.Resolve(in.Candidates)
	}
	return errStuck
}
