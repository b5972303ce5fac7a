package conformance

import (
	"cmp"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
)

// looksEach is how often the balancer is looked at although the next step could follow without that: another process would look.
const looksEach = 3

// carryOut makes a change with the steps that follow without a look, and waits for its operations. What a creation told is kept.
func (f *fixture) carryOut(change cloud.Change) (progress cloud.Progress, err error) {
	for {
		since := f.traffic().received()
		if progress, err = f.balancers().Apply(f.ctx(), change); err == nil {
			err = f.traffic().changed(since, change)
		}
		progress.Pending = progress.Pending || len(progress.Operations) > 0
		if made := progress.Observed; made != nil && !change.Before.Found && f.suite.Descriptor.Capabilities.VersionStamps {
			f.made = made
		}
		if err = cmp.Or(err, f.operate(progress.Operations)); err != nil || progress.Rest == nil {
			return progress, err
		}
		if f.rests++; f.rests%looksEach == 0 {
			return progress, nil
		}
		change.Rest = progress.Rest
	}
}

// asAnswered returns an error where a driver that was told by the answer to a creation what it made says something else of the
// balancer than what it reads.
func (f *fixture) asAnswered(in cloud.Input, is cloud.Observed) error {
	made := f.made
	if made == nil || made.Native.IsNone() || is.State != cloud.BalancerActive || is.ID != made.ID {
		return nil
	}
	f.made, in.Last = nil, made
	again, err := f.balancers().Observe(f.ctx(), in)
	if err != nil {
		return err
	}
	if left := difference.Of(is.Balancer, again.Resolve(in.Candidates).Balancer); len(left) > 0 {
		return fmt.Errorf("with the answer to the creation at hand the balancer is seen otherwise:\n%s", text(left))
	}
	return nil
}
