package balancer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// readyAfter is how long to wait before a new balancer is looked at for the first time. None
// is ready sooner, most take a minute, and every look counts against the quota.
const readyAfter = 10 * time.Second

// Observe implements cloud.Balancers.
func (l *Balancers) Observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	lb, all, byName, err := l.find(ctx, spec)
	if err != nil {
		return cloud.Observed{}, err
	}
	var o cloud.Observed
	if lb != nil {
		o = l.Observed(lb, spec)
		_, listed := spec.BulkList.([]godo.LoadBalancer)
		o.Native = &native{LoadBalancer: lb, alone: listed && !sharesServiceTag(lb, all)}
		o.ByName = byName && !ownership.IsTagged(o.Owner, spec.Ref.Owner)
		o.Duplicates = l.duplicates(lb, all, spec)
	} else if spec.Deleting && !spec.Removed && spec.Beside == nil && identifier.IsUUID(spec.Ref.ID) {
		o.Orphans = l.tagRemains(ctx, spec.Ref.Owner)
	}
	if err := l.addCertificate(ctx, spec, lb, &o); err != nil {
		return cloud.Observed{}, err
	}
	return o, nil
}

// find returns the balancer of the Spec, nil when there is none, the list it is from, if any, and
// whether only its name led to it. An id that is gone does not end the search: its balancer may
// have been created anew by a process that died before it could record the new id.
func (l *Balancers) find(ctx context.Context, spec cloud.Spec) (lb *godo.LoadBalancer, all []godo.LoadBalancer, byName bool, err error) {
	if spec.Beside != nil {
		lb, err := l.findBeside(ctx, spec)
		return lb, nil, false, err
	}
	all, listed := spec.BulkList.([]godo.LoadBalancer)
	if id := spec.Ref.ID; identifier.IsUUID(id) {
		if at := slices.IndexFunc(all, func(lb godo.LoadBalancer) bool { return lb.ID == id }); at >= 0 {
			return &all[at], all, false, nil
		}
		if !listed {
			if lb, err := l.get(ctx, id); lb != nil || err != nil {
				return lb, nil, false, err
			}
		}
	}
	names := []string{cmp.Or(keyName.In(spec.Options), cloud.UIDName(spec.Ref.Owner.UID)), cloud.UIDName(spec.Ref.Owner.UID)}
	if !listed {
		all, err = l.list(func(o *godo.ListOptions) ([]godo.LoadBalancer, *godo.Response, error) {
			return l.API.LoadBalancers.ListByNames(ctx, slices.Compact(names), o)
		})
	}
	lb = l.named(all, names, spec)
	return lb, all, lb != nil, err
}

// get reads one balancer, nil when there is none.
func (l *Balancers) get(ctx context.Context, id string) (*godo.LoadBalancer, error) {
	lb, _, err := l.API.LoadBalancers.Get(ctx, id)
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

// named looks among balancers for one with the Service's own or its default name. The one
// that is provably the Service's wins over one that merely has the name, and that only
// counts in this region: names are unique nowhere.
func (l *Balancers) named(all []godo.LoadBalancer, names []string, spec cloud.Spec) *godo.LoadBalancer {
	var ours, best *godo.LoadBalancer
	for i, lb := range all {
		switch {
		case !slices.Contains(names, lb.Name) || slices.Contains(spec.Refused, lb.ID):
		case l.isOwn(&lb, spec):
			if ours == nil || lb.ID < ours.ID {
				ours = &all[i]
			}
		case best == nil && l.isHere(&lb):
			best = &all[i]
		}
	}
	return cmp.Or(ours, best)
}

// ListBalancers implements cloud.BulkLister.
func (l *Balancers) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	return l.list(func(o *godo.ListOptions) ([]godo.LoadBalancer, *godo.Response, error) {
		return l.page(ctx, o)
	})
}

// list reads all pages of a list of balancers.
func (l *Balancers) list(read func(*godo.ListOptions) ([]godo.LoadBalancer, *godo.Response, error)) ([]godo.LoadBalancer, error) {
	all, err := cloud.Whole(api.Pages(read))
	if err != nil {
		return nil, fmt.Errorf("listing balancers: %w", err)
	}
	return all, nil
}

func (l *Balancers) isHere(lb *godo.LoadBalancer) bool {
	return lb.Region == nil || lb.Region.Slug == l.Settings.Region
}

// native is the API's object, for read-modify-write.
type native struct {
	*godo.LoadBalancer
	// alone says that a list of all balancers shows no other one with a tag of a Service that this one has.
	alone bool
}

// Observed decodes an existing balancer.
func (l *Balancers) Observed(lb *godo.LoadBalancer, spec cloud.Spec) cloud.Observed {
	o := cloud.Observed{
		Found:     true,
		ID:        lb.ID,
		Named:     ownership.IsInName(lb.Name, spec.Ref.Owner),
		Owner:     l.owner(lb, spec),
		Addresses: addresses(lb),
		Balancer:  l.View(lb, spec),
		Lookups:   map[string]string{LookupType: kindOf(lb), LookupStack: cmp.Or(lb.NetworkStack, StackIPv4)},
		Native:    &native{LoadBalancer: lb},
	}
	// An answer without a list of tags says nothing about them: nothing to repair.
	if o.Balancer.OwnershipTags = l.OwnershipTags(spec.Ref.Owner); lb.Tags != nil {
		o.Balancer.OwnershipTags, _ = l.ReadOwnershipTags(lb.Tags, spec.Ref.Owner)
	}
	switch lb.Status {
	case "active":
		o.State = cloud.BalancerActive
	case "new":
		o.State = cloud.BalancerPending
	default:
		o.State, o.Detail = cloud.BalancerFailed, fmt.Sprintf("its status is %q", lb.Status)
	}
	return o
}
