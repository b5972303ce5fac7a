package balancer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// found is a balancer, nil when there is none.
type found struct {
	lb *godo.LoadBalancer
	// all is the list that it is from, if any.
	all []godo.LoadBalancer
	// byName says that its name led to it.
	byName bool
}

// find looks for the balancer of the Service. An id that is gone does not end the search: its balancer may
// have been created anew by a process that died before it could record the new id.
func (l *Balancers) find(ctx context.Context, in cloud.Input) (found, error) {
	all, listed := in.BulkList.([]godo.LoadBalancer)
	if in.Beside != nil {
		return l.findBeside(ctx, all, listed, in)
	}
	if id := in.ID; identifier.IsUUID(id) {
		if at := slices.IndexFunc(all, func(lb godo.LoadBalancer) bool { return lb.ID == id }); at >= 0 {
			return found{lb: &all[at], all: all}, nil
		}
		if !listed {
			if lb, err := l.get(ctx, id); lb != nil || err != nil {
				return found{lb: lb}, err
			}
		}
	}
	names := desired.Names(in.Spec)
	var err error
	if !listed {
		all, err = list(func(o *godo.ListOptions) ([]godo.LoadBalancer, *godo.Response, error) {
			return l.API.ListByNames(ctx, names, o)
		})
	}
	lb := l.named(all, names, in)
	return found{lb: lb, all: all, byName: lb != nil}, err
}

// get reads one balancer, nil when there is none.
func (l *Balancers) get(ctx context.Context, id string) (*godo.LoadBalancer, error) {
	lb, _, err := l.API.Get(ctx, id)
	switch {
	case api.IsNotFound(err):
		return nil, nil
	case err == nil && (lb == nil || lb.ID != id):
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, fmt.Errorf("reading balancer %s: %w", id, err)
	}
	return lb, nil
}

// named looks among balancers for one with the Service's own or its default name: the one with the best proof of whose it
// is, then the one with the smallest id.
func (l *Balancers) named(all []godo.LoadBalancer, names []string, in cloud.Input) (best *godo.LoadBalancer) {
	most := 0
	for i, lb := range all {
		proof := l.proof(&all[i], in.Spec)
		if !slices.Contains(names, lb.Name) || slices.Contains(in.Refused, lb.ID) || proof == 0 {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(most, proof), cmp.Compare(lb.ID, best.ID)) < 0 {
			best, most = &all[i], proof
		}
	}
	return best
}

// proof orders balancers with the Service's name by what else makes them its own:
//
//	3  it is the Service's
//	2  it has the UID of the Service, and names a cluster that was restored from the same backup: the kernel judges
//	1  it is in this region, for names are unique nowhere
//	0  nothing
func (l *Balancers) proof(lb *godo.LoadBalancer, spec cloud.Spec) int {
	switch us := spec.Owner; {
	case l.Tags.Whose(lb, us) == ownership.Ours:
		return 3
	case ownership.IsTagged(l.Tags.Owner(lb, us), us):
		return 2
	case lb.Region == nil || lb.Region.Slug == l.Region:
		return 1
	}
	return 0
}

// findBeside returns the other balancer of the Service. Only ownership tags with this cluster in them lead to it: an id that is recorded
// may be that of a cluster that was restored from the same backup.
func (l *Balancers) findBeside(ctx context.Context, all []godo.LoadBalancer, listed bool, in cloud.Input) (found, error) {
	if !listed {
		var err error
		if all, err = l.readAll(ctx); err != nil {
			return found{}, err
		}
	}
	var other *godo.LoadBalancer
	for i, lb := range all {
		_, owner := l.Tags.Read(lb.Tags, in.Owner)
		if lb.ID != in.Beside.ID && ownership.IsCertain(owner, in.Owner) && (other == nil || lb.ID == in.ID) {
			other = &all[i]
		}
	}
	return found{lb: other}, nil
}

// ListBalancers implements cloud.BulkLister.
func (l *Balancers) ListBalancers(ctx context.Context) (cloud.BulkList, error) { return l.readAll(ctx) }

func (l *Balancers) readAll(ctx context.Context) ([]godo.LoadBalancer, error) {
	return list(func(o *godo.ListOptions) ([]godo.LoadBalancer, *godo.Response, error) { return l.API.List(ctx, o) })
}

// list reads all pages of a list of balancers.
func list(read func(*godo.ListOptions) ([]godo.LoadBalancer, *godo.Response, error)) ([]godo.LoadBalancer, error) {
	all, err := cloud.Whole(api.Pages(read))
	if err != nil {
		return nil, fmt.Errorf("listing balancers: %w", err)
	}
	return all, nil
}
