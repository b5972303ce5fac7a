package loadbalancer

import (
	"context"
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// findOwned is find for those who act on a balancer that is not there: they drop the finalizer or
// create another one. Where there should be one, the credentials have to be the right ones.
func (p *pipeline) findOwned(ctx context.Context, observe observer) (decide.Finding, error) {
	f, err := p.find(ctx, observe)
	if err != nil || f.Observed.Found || !p.expected() {
		return f, err
	}
	if err := p.manager.trust(ctx); err != nil {
		return decide.Finding{}, fmt.Errorf("the balancer is not there, but that proves nothing: %w", err)
	}
	return f, nil
}

// expected reports whether the Service may well have a balancer.
func (p *pipeline) expected() bool {
	return p.Recorded != "" || p.state.Created != "" || len(p.Service.Status.LoadBalancer.Ingress) > 0 ||
		p.Service.DeletionTimestamp != nil
}

// observer reads a balancer: observe where a bulk list will do, read where something is to be
// deleted.
type observer func(context.Context, cloud.Spec) (cloud.Observed, error)

// find looks for the balancer of the Service. The driver looks by the id it is given, then
// by mark, then by name. What is not the Service's is passed over, and the search goes on: one of
// ours may exist all the same.
//
//	id given to the driver  when
//	recorded or adopted     the Service names one
//	none                    else, at the first look after we created one: another process may
//	                        have made one too, which the driver then shows
//	of what we created      else, until it is recorded
//	none                    else, or when the id led to somebody else's
//
//	not the Service's, found by  then
//	id                           a conflict: nothing is created
//	name                         nothing was found; a conflict where names are unique
func (p *pipeline) find(ctx context.Context, observe observer) (decide.Finding, error) {
	var f decide.Finding
	spec := p.Spec
	later := ""
	if spec.Ref.ID == "" {
		if later = p.state.Unconfirmed(); later == "" {
			spec.Ref.ID = p.state.Created
		}
	}
	for {
		observed, err := observe(ctx, spec)
		if err != nil {
			return decide.Finding{}, err
		}
		verdict := p.manager.owners.Judge(p.Request, p.state.Created, observed)
		switch {
		case verdict.Standing == safety.Absent && later != "":
			// Lists can lag.
			spec.Ref.ID, later = later, ""
			continue
		case verdict.Standing == safety.Absent || verdict.Standing == safety.Ours:
			f.Observed = observed
			p.state.Confirm(observed)
			return f, nil
		case slices.Contains(spec.Refused, observed.ID):
			f.Conflicts = append(f.Conflicts, owner.NameTaken(observed.Balancer.Name))
			return f, nil
		case slices.Contains(p.Named(), observed.ID):
			f.Conflicts = append(f.Conflicts, p.NotYours(observed.ID))
			p.warnOwner(verdict, observed)
		}
		spec.Ref.ID, spec.Refused = "", append(slices.Clone(spec.Refused), observed.ID)
	}
}
