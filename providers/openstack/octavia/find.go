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
	// duplicates are the ids of further balancers with the Service's ownership tag.
	duplicates []string
	// sole says, of a balancer that is given up, that a list has shown no other one of the Service.
	sole bool
}

// find returns the balancer of the Service:
//
//	by                         is enough
//	the id that is given       always
//	the Service's tag          always; of several one of this cluster, the one with the smallest id
//	upstream's name            if no tag says that it is another Service's
//	upstream's very old name   always: it holds the Service's UID
//
// While a balancer is made beside the one that serves, that one is not found, and none by name. A Service that leaves is looked
// for in a list before its balancer is deleted, and only by the id afterwards: Octavia shows what was made in every list.
func (d *Balancers) find(ctx context.Context, in cloud.Input) (found, error) {
	all, listed := object.BulkListOf(in.Environment)
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
	f := d.pick(all.Balancers, in)
	f.read = all.Read
	return f, nil
}

// isAlone reports whether a list shows no other balancer that may be the Service's, which gives up the one that it names.
func (d *Balancers) isAlone(all []object.Balancer, in cloud.Input) bool {
	others := slices.DeleteFunc(slices.Clone(all), func(lb object.Balancer) bool { return lb.ID == in.ID })
	return in.Deleting && d.pick(others, in).lb == nil
}

// findByID looks for the balancer with the id that is given; one that is gone is nil.
func (d *Balancers) findByID(ctx context.Context, all object.BulkList, in cloud.Input) (found, error) {
	at := slices.IndexFunc(all.Balancers, func(lb object.Balancer) bool { return lb.ID == in.ID })
	if at >= 0 {
		tagged := d.tagged(all.Balancers, in)
		return found{lb: &all.Balancers[at], read: all.Read, duplicates: besides(tagged, in.ID)}, nil
	}
	lb, header, err := d.reader.Balancer(ctx, in.ID)
	switch {
	case api.IsNotFound(err), err == nil && lb.Provisioning == object.StatusDeleted:
		return found{}, nil
	case err != nil:
		return found{}, fmt.Errorf("reading balancer %s: %w", in.ID, err)
	}
	return found{lb: &lb, read: api.Clock(header)}, nil
}

func isBeside(known cloud.Known, id string) bool { return known.Beside != nil && known.Beside.ID == id }

// besides are the other ids, nil when there are none.
func besides(ids []string, id string) (others []string) {
	for _, other := range ids {
		if other != id {
			others = append(others, other)
		}
	}
	return others
}

// tagged are the ids of the balancers with the Service's ownership tag that are not on their way out, sorted. Where this cluster is in
// the tag of any, the others are of clusters that were restored from the same backup.
func (d *Balancers) tagged(all []object.Balancer, in cloud.Input) []string {
	var ids, certain []string
	for _, lb := range all {
		leaves := lb.Provisioning == object.StatusDeleted || lb.Provisioning == object.StatusPendingDelete
		if leaves || isBeside(in.Known, lb.ID) || !d.isTagged(lb, in) {
			continue
		}
		if ids = append(ids, lb.ID); d.OwnershipTags.ReadOwners(lb.Tags, in.Owner).IsCertain() {
			certain = append(certain, lb.ID)
		}
	}
	if len(certain) > 0 {
		ids = certain
	}
	slices.Sort(ids)
	return ids
}

// isTagged reports whether the Service's ownership tag leads to a balancer: beside the one that serves, only with this cluster in it.
func (d *Balancers) isTagged(lb object.Balancer, in cloud.Input) bool {
	c := d.OwnershipTags.ReadOwners(lb.Tags, in.Owner)
	return c.IsCertain() || c.Ours && in.Beside == nil
}

// pick returns the Service's balancer among all. One that is being deleted counts only while there is
// no other. One that only its name leads to is never passed over, also when the Service may not have
// it: an upstream CCM may have made it for this very Service, and another one would have another
// address.
func (d *Balancers) pick(all []object.Balancer, in cloud.Input) found {
	o, tagged := in.Owner, d.tagged(all, in)
	var named, leaving *object.Balancer
	for i, lb := range all {
		switch {
		case lb.Provisioning == object.StatusDeleted, isBeside(in.Known, lb.ID):
		case len(tagged) > 0 && lb.ID == tagged[0]:
			return found{lb: &all[i], duplicates: besides(tagged, lb.ID)}
		case d.isTagged(lb, in), ownership.IsInName(lb.Name, o):
			leaving = &all[i]
		case in.Beside == nil && named == nil && lb.Name == d.OwnershipTags.Name(o) && len(d.OwnershipTags.ReadOwners(lb.Tags, o).Others) == 0:
			named = &all[i]
		}
	}
	if leaving != nil {
		return found{lb: leaving}
	}
	return found{lb: named, byName: named != nil}
}
