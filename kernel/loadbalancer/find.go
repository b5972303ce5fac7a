package loadbalancer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// finding is what was found of a Service's balancer.
type finding struct {
	// observed is our balancer; Found is false when there is none.
	observed cloud.Observed
	// conflicts are what the Service asked for and may not have.
	conflicts []problem.Problem
	// successor is the new balancer beside it, nil when it was not looked for.
	successor *cloud.Observed
}

// findOwned is find for those who act on a balancer that is not there: they drop the finalizer or
// create another one. Where there should be one, the credentials have to be the right ones.
func (p *pipeline) findOwned(ctx context.Context, observe observer) (finding, error) {
	f, err := p.find(ctx, observe)
	if err != nil || f.observed.Found || !p.expected() {
		return f, err
	}
	if err := p.manager.trust(ctx); err != nil {
		return finding{}, fmt.Errorf("the balancer is not there, but that proves nothing: %w", err)
	}
	return f, nil
}

// expected reports whether the Service may well have a balancer.
func (p *pipeline) expected() bool {
	return p.Recorded != "" || p.state.created != "" || len(p.Service.Status.LoadBalancer.Ingress) > 0 ||
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
func (p *pipeline) find(ctx context.Context, observe observer) (finding, error) {
	var f finding
	spec := p.Spec
	later := p.unconfirmed()
	spec.Ref.ID = cmp.Or(p.Spec.Ref.ID, p.state.created)
	if later != "" {
		spec.Ref.ID = ""
	}
	for {
		observed, err := observe(ctx, spec)
		if err != nil {
			return finding{}, err
		}
		verdict := p.judge(observed)
		switch {
		case verdict.Standing == safety.Absent && later != "":
			// Lists can lag.
			spec.Ref.ID, later = later, ""
			continue
		case verdict.Standing == safety.Absent || verdict.Standing == safety.Ours:
			f.observed = observed
			p.confirm(observed)
			return f, nil
		case slices.Contains(spec.Refused, observed.ID):
			f.conflicts = append(f.conflicts, p.nameTaken(observed.Balancer.Name))
			return f, nil
		case slices.Contains(p.Named(), observed.ID):
			f.conflicts = append(f.conflicts, p.notYours(observed.ID))
			p.warnOwner(verdict, observed)
		}
		spec.Ref.ID, spec.Refused = "", append(slices.Clone(spec.Refused), observed.ID)
	}
}

// unadopted refuses to create a balancer where a certain one was to be taken over. Once its
// id is recorded it may be created anew like any other.
func (p *pipeline) unadopted(f finding) []problem.Problem {
	if p.Adopt == "" || p.Recorded != "" || len(f.conflicts) > 0 || f.observed.Found && f.observed.ID == p.Adopt {
		return nil
	}
	return []problem.Problem{p.notYours(p.Adopt)}
}
