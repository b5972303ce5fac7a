package loadbalancer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// finding is what was found of a Service's balancer.
type finding struct {
	// observed is our balancer; Found is false when there is none.
	observed cloud.Observed
	// foreign says why something that was found is not ours; "" when nothing was.
	foreign string
}

// seek is find for those who act on a balancer that is not there: they drop the finalizer or
// create another one. Where there should be one, the credentials have to be the right ones.
func (p *pass) seek(ctx context.Context, observe observer) (finding, error) {
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
func (p *pass) expected() bool {
	return p.recorded != "" || p.memory.created != "" || len(p.service.Status.LoadBalancer.Ingress) > 0 ||
		p.service.DeletionTimestamp != nil
}

// observer reads a balancer: observe where a survey will do, read where something is to be
// deleted.
type observer func(context.Context, cloud.Spec) (cloud.Observed, error)

// find looks for the balancer of the Service. The driver looks by the id it is given, then
// by mark, then by name. Where that id leads to a balancer of somebody else, one of ours may
// exist all the same, and is found by asking without the id.
//
//	id given to the driver  when
//	recorded or adopted     the Service has one
//	of what we created      else, until it is recorded
//	none                    else, or when the id is not of ours
func (p *pass) find(ctx context.Context, observe observer) (finding, error) {
	var f finding
	for _, id := range slices.Compact([]string{cmp.Or(p.spec.Ref.ID, p.memory.created), ""}) {
		spec := p.spec
		spec.Ref.ID = id
		observed, err := observe(ctx, spec)
		if err != nil {
			return finding{}, err
		}
		if !observed.Found {
			f.observed = observed
			break
		}
		spec.Ref.ID = cmp.Or(p.recorded, p.memory.created)
		ours, why := safety.Owns(spec.Ref, observed, p.adopt)
		if ours {
			f.observed = observed
			break
		}
		f.foreign = cmp.Or(f.foreign, why)
	}
	return f, nil
}

// problems returns the conflict as a problem of the Service.
func (f finding) problems() []problem {
	if f.foreign == "" {
		return nil
	}
	return []problem{{event.OwnershipConflict, errors.New(f.foreign)}}
}

// unadopted refuses to create a balancer where a certain one was to be taken over. Once its
// id is recorded it may be created anew like any other.
func (p *pass) unadopted(observed cloud.Observed) []problem {
	if p.adopt == "" || p.recorded != "" || observed.Found && observed.ID == p.adopt {
		return nil
	}
	return []problem{invalid(annotation.Adopt.Name, p.adopt, "the cloud has no balancer with this id")}
}
