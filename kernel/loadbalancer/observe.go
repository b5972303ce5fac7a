package loadbalancer

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// observe reads the balancer of the Spec, from a bulk list where that is enough:
//
//	the Service      a bulk list may have begun  and proves that the balancer
//	has a balancer   after our last change        is there, never that it is gone
//	has none so far  during this run              is there, or is not
func (p *pipeline) observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	after := p.began
	if p.expected() {
		after = p.state.Wrote
	}
	if spec.BulkList = p.manager.lists.Get(ctx, p.Service.UID, after); spec.BulkList != nil {
		observed, err := p.watch(ctx, spec)
		if err != nil || observed.Found || !p.expected() {
			p.fromList = true
			return observed, err
		}
	}
	return p.read(ctx, spec)
}

// read reads the balancer of the Spec itself.
func (p *pipeline) read(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	spec.BulkList, p.fromList = nil, false
	return p.watch(ctx, spec)
}

// watch observes with what was observed before at hand.
func (p *pipeline) watch(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	spec.Last = p.state.Last
	observed, err := p.manager.cloud.Balancers.Observe(ctx, spec)
	if p.state.Last = nil; err == nil && observed.Found {
		p.state.Last = &observed
	}
	return observed, err
}
