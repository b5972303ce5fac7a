package balancer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// found is a balancer, nil when there is none.
type found struct {
	lb *godo.LoadBalancer
	// all is the list that it is from, if any.
	all []godo.LoadBalancer
	// byName says that only its name led to it.
	byName bool
	// rivals are the ids of others of the list that only the name led to as well.
	rivals []string
	// duplicates are the ids of others of the list that are the Service's too.
	duplicates []string
}

// find looks for the balancer of the Service. An id that is gone does not end the search: its balancer may
// have been created anew by a process that died before it could record the new id.
func (l *Balancers) find(ctx context.Context, from *bulkList, in cloud.Input) (f found, err error) {
	names := desired.Names(in.Spec)
	var all []godo.LoadBalancer
	switch {
	case from != nil:
		all = from.all
	case in.Beside != nil:
		all, err = l.readAll(ctx)
	default:
		if identifier.IsUUID(in.ID) {
			if f.lb, err = l.get(ctx, in.ID); f.lb != nil || err != nil {
				return f, err
			}
		}
		all, err = list(func(o *godo.ListOptions) ([]godo.LoadBalancer, *godo.Response, error) {
			return l.API.ListByNames(ctx, names, o)
		})
	}
	if err != nil {
		return found{}, err
	}
	return l.choose(all, names, in), nil
}

// choose picks the balancer of the Service from a list.
func (l *Balancers) choose(all []godo.LoadBalancer, names []string, in cloud.Input) found {
	near := slices.DeleteFunc(slices.Clone(all), func(lb godo.LoadBalancer) bool { return lb.ID != in.ID && !l.mayServe(lb, names, in) })
	chosen := ownership.Choose(ownership.Search{Input: in, Names: names, PassRefused: true}, near, func(lb godo.LoadBalancer) ownership.Candidate {
		_, tagged := l.Tags.Read(lb.Tags, in.Owner)
		return ownership.Candidate{ID: lb.ID, Name: lb.Name, Owner: tagged}
	})
	f := found{all: all, byName: chosen.ByName, rivals: chosen.Rivals, duplicates: chosen.Duplicates}
	if chosen.At >= 0 {
		f.lb = &near[chosen.At]
		f.byName = f.byName && !ownership.IsInName(f.lb.Name, in.Owner)
	}
	return f
}

// mayServe reports whether a balancer can be the Service's:
//
//	the ownership tags              its name                         can be
//	are the Service's               any but that of a replacement    yes
//	are the Service's               of a replacement                 while one is made
//	any others                      one that the Service's may have  in this region: names are unique nowhere
func (l *Balancers) mayServe(lb godo.LoadBalancer, names []string, in cloud.Input) bool {
	owner, named := l.Tags.Owner(&lb, in.Owner), slices.Contains(names, lb.Name)
	if ownership.IsTagged(owner, in.Owner) {
		return named || in.Beside != nil || !strings.HasSuffix(lb.Name, desired.BesideSuffix)
	}
	return named && (lb.Region == nil || lb.Region.Slug == l.Region)
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

// ListBalancers implements cloud.BulkLister.
func (l *Balancers) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	all, err := l.readAll(ctx)
	return &bulkList{l, all}, err
}

// bulkList is all balancers of one moment.
type bulkList struct {
	of  *Balancers
	all []godo.LoadBalancer
}

// Observe implements cloud.BulkList.
func (b *bulkList) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return b.of.observe(ctx, b, in)
}

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

// ListOwned implements cloud.OwnedLister.
func (l *Balancers) ListOwned(ctx context.Context, us cloud.Owner) ([]cloud.OwnedBalancer, error) {
	all, err := l.readAll(ctx)
	var list []cloud.OwnedBalancer
	for _, lb := range all {
		created, _ := time.Parse(time.RFC3339, lb.Created)
		list = append(list, cloud.OwnedBalancer{
			ID: lb.ID, Name: lb.Name, Owners: []cloud.Owner{l.Tags.Owner(&lb, us)}, Created: created, Addresses: object.Addresses(&lb),
		})
	}
	return list, err
}
