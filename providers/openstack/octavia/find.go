package octavia

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// found is the balancer of a Service.
type found struct {
	// lb is nil when there is none.
	lb     *object.Balancer
	byName bool
	read   time.Time
	// rivals are the ids of further balancers that only the name led to as well.
	rivals []string
	// duplicates are the ids of further balancers with the Service's ownership tag.
	duplicates []string
	// sole says, of a balancer that is given up, that a list has shown no other one of the Service.
	sole bool
}

// find returns the balancer of the Service, from a list or by the id that is given alone. A Service that leaves is looked
// for in a list before its balancer is deleted, and only by the id afterwards: Octavia shows what was made in every list.
func (d *Balancers) find(ctx context.Context, from *object.BulkList, in cloud.Input) (found, error) {
	all, listed := contents(from)
	sole := in.Deleting && object.LastOf(in.Known).IsSole(in.ID)
	list := func() (err error) {
		if !listed {
			all.Balancers, all.Read, err = d.reader.Balancers(ctx)
			listed = true
		}
		return err
	}
	if in.Deleting && !in.Retained && !sole {
		if err := list(); err != nil {
			return found{}, fmt.Errorf("listing balancers: %w", err)
		}
	}
	if api.UUID.MatchString(in.ID) && !isBeside(in.Known, in.ID) {
		f, err := d.findByID(ctx, all, in)
		f.sole = sole || listed && d.isAlone(all.Balancers, in)
		if err != nil || f.lb != nil || sole {
			return f, err
		}
	}
	if err := list(); err != nil {
		return found{}, fmt.Errorf("listing balancers: %w", err)
	}
	return d.choose(all, in), nil
}

// contents are those of a bulk list, and false where there is none.
func contents(from *object.BulkList) (all object.BulkList, listed bool) {
	if from == nil {
		return all, false
	}
	return *from, true
}

// isAlone reports whether a list shows no other balancer that may be the Service's, which gives up the one that it names.
func (d *Balancers) isAlone(all []object.Balancer, in cloud.Input) bool {
	others := slices.DeleteFunc(slices.Clone(all), func(lb object.Balancer) bool { return lb.ID == in.ID })
	return in.Deleting && d.choose(object.BulkList{Balancers: others}, in).lb == nil
}

// findByID looks for the balancer with the id that is given; one that is gone is nil.
func (d *Balancers) findByID(ctx context.Context, all object.BulkList, in cloud.Input) (found, error) {
	if slices.ContainsFunc(all.Balancers, func(lb object.Balancer) bool { return lb.ID == in.ID }) {
		return d.choose(all, in), nil
	}
	lb, header, err := d.reader.Balancer(ctx, in.ID)
	switch {
	case api.IsNotFound(err), err == nil && lb.Provisioning == object.StatusDeleted:
		return found{}, nil
	case err != nil:
		return found{}, fmt.Errorf("reading balancer %s: %w", in.ID, err)
	}
	return d.choose(object.BulkList{Balancers: []object.Balancer{lb}, Read: api.Clock(header)}, in), nil
}

func isBeside(known cloud.Known, id string) bool { return known.Beside != nil && known.Beside.ID == id }

// choose picks the balancer of the Service from a list. One that only its name leads to is never passed over, also when the Service may
// not have it: an upstream CCM may have made it for this very Service, and another one would have another address.
func (d *Balancers) choose(all object.BulkList, in cloud.Input) found {
	names := []string{d.OwnershipTags.Name(in.Owner)}
	there := slices.DeleteFunc(slices.Clone(all.Balancers), func(lb object.Balancer) bool {
		return lb.Provisioning == object.StatusDeleted || lb.ID != in.ID && d.isOthers(lb, in)
	})
	chosen := ownership.Choose(ownership.Search{Input: in, Names: names}, there, func(lb object.Balancer) ownership.Candidate {
		own := d.OwnershipTags.ReadOwners(lb.Tags, in.Owner).Own
		return ownership.Candidate{ID: lb.ID, Name: lb.Name, Owner: own, Deleting: lb.Provisioning == object.StatusPendingDelete}
	})
	f := found{byName: chosen.ByName, rivals: chosen.Rivals, read: all.Read, duplicates: chosen.Duplicates}
	if chosen.At >= 0 {
		f.lb = &there[chosen.At]
	}
	return f
}

// isOthers reports whether the tags of a balancer name other Services and not this one. Upstream's very old names hold the Service's UID
// and count in spite of that.
func (d *Balancers) isOthers(lb object.Balancer, in cloud.Input) bool {
	c := d.OwnershipTags.ReadOwners(lb.Tags, in.Owner)
	return len(c.Others) > 0 && !c.Ours && !ownership.IsInName(lb.Name, in.Owner)
}

// ListOwned implements cloud.OwnedLister. Where load balancers have no tags nothing is told of their Services.
func (d *Balancers) ListOwned(ctx context.Context, us cloud.Owner) ([]cloud.OwnedBalancer, error) {
	all, _, err := d.reader.Balancers(ctx)
	if err != nil {
		return nil, err
	}
	floating, err := d.reader.FloatingIPs(ctx, d.reader.OfProject())
	var list []cloud.OwnedBalancer
	for _, lb := range all {
		created, _ := time.Parse("2006-01-02T15:04:05", lb.Created)
		one := cloud.OwnedBalancer{
			ID: lb.ID, Name: lb.Name, Owners: d.OwnershipTags.AllOwners(lb.Tags, us), Created: created,
			Deleting:  lb.Provisioning == object.StatusPendingDelete || lb.Provisioning == object.StatusDeleted,
			Addresses: []cloud.BalancerAddress{{IP: lb.Address}},
		}
		for _, vip := range lb.AdditionalVIPs {
			one.Addresses = append(one.Addresses, cloud.BalancerAddress{IP: vip.Address})
		}
		for _, ip := range floating {
			if ip.Port != "" && ip.Port == lb.Port {
				one.Addresses = append(one.Addresses, cloud.BalancerAddress{IP: ip.Address})
			}
		}
		list = append(list, one)
	}
	return list, err
}
