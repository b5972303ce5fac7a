package balancer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// Apply implements cloud.Balancers.
//
//	before   after   operations     requests
//	any      nothing any            DELETE of its tags and of it
//	nothing  any     any            POST
//	exists   exists  tags           POST and DELETE /v2/tags/…, before the others
//	exists   exists  targets only   POST and DELETE …/droplets
//	exists   exists  others         one PUT of the whole object
func (l *Balancers) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	before := nativeBalancer.Open(change.Before.Native)
	switch {
	case change.After == nil:
		return l.delete(ctx, change)
	case !change.Before.Found:
		return l.create(ctx, change)
	case before == nil:
		return cloud.Progress{}, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	}
	lb, err := l.update(ctx, *before.LoadBalancer, change)
	return l.progress(lb, change), err
}

// native is the API's object, for read-modify-write.
type native struct {
	*godo.LoadBalancer
	// alone says that a list of all balancers shows no other one with a tag of a Service that this one has.
	alone bool
}

var nativeBalancer cloud.NativeOf[*native]

func (l *Balancers) create(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	var lb *godo.LoadBalancer
	request, err := object.Request(nil, *change.After, l.Asked(change.Input.Spec))
	if err == nil {
		lb, _, err = l.API.Create(ctx, request)
		err = refusedTargets(err, request.DropletIDs, true)
	}
	if err == nil && (lb == nil || lb.ID == "") {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("creating balancer %s: %w", change.After.Name, err)
	}
	return l.progress(lb, change), nil
}

// delete removes the balancer, then the Service's tag if nothing else has it, as a list of all balancers says, or else the API,
// which counts: until then it proves whose the balancer is.
func (l *Balancers) delete(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	id, us := change.Before.ID, change.Input.Owner
	switch {
	case !change.Before.Found && change.Before.Orphans:
		l.Tagging.Drop(ctx, us)
		return cloud.Progress{}, nil
	case !change.Before.Found || !identifier.IsIdentifier(id):
		return cloud.Progress{}, nil
	}
	another := change.Replaced || change.Input.Beside != nil // has the tag too, or will have it
	lb, tagged := nativeBalancer.Open(change.Before.Native), slices.Contains(change.Before.Balancer.OwnershipTags, owner.Service(us))
	unused := lb != nil && !another && tagged && (lb.alone || l.Tagging.Carriers(ctx, us) == 1)
	_, err := l.API.Delete(ctx, id)
	if api.IsNotFound(err) {
		// It was there when it was observed: without another look nothing is believed, and its tags stay.
		return cloud.Progress{Pending: true}, nil
	}
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("deleting balancer %s: %w", id, err)
	}
	if unused {
		l.Tagging.Drop(ctx, us)
	}
	return cloud.Progress{}, nil
}

// update brings an existing balancer to the wanted state and returns what is known of it
// afterwards. It is tagged first, because a new name would leave it without any proof of whose it
// is: without its ownership tags it keeps its name. When the API refuses ownership tags or new settings, the targets are still changed: nodes
// come and go, whatever is wrong with an annotation.
func (l *Balancers) update(ctx context.Context, present godo.LoadBalancer, change cloud.Change) (*godo.LoadBalancer, error) {
	lb := &present
	refused := l.settleOwnershipTags(ctx, lb, change)
	if ownershipTags, _ := l.Tags.Read(lb.Tags, change.Input.Owner); len(without(change.After.OwnershipTags, ownershipTags)) > 0 {
		change = keepName(lb.Name, change)
	}
	if needsPut(lb, change) {
		updated, err := l.put(ctx, lb, change)
		switch class := api.Classify(err).Class; {
		case err == nil:
			lb = updated
		case class == cloud.FailureInvalid || class == cloud.FailureQuota:
			refused = errors.Join(refused, err)
		default:
			return lb, errors.Join(err, refused)
		}
	}
	return lb, errors.Join(refused, l.settleTargets(ctx, lb, change.After.Targets))
}

// settleOwnershipTags repairs the ownership tags, and notes them. They go through the tags, because a PUT ignores them.
func (l *Balancers) settleOwnershipTags(ctx context.Context, lb *godo.LoadBalancer, change cloud.Change) error {
	wanted := change.After.OwnershipTags
	present, _ := l.Tags.Read(lb.Tags, change.Input.Owner)
	for _, tag := range without(wanted, present) {
		if err := l.Tagging.Put(ctx, tag, lb.ID); err != nil {
			return fmt.Errorf("tagging balancer %s: %w", lb.ID, err)
		}
		lb.Tags = slices.Concat(lb.Tags, []string{tag})
	}
	for _, tag := range without(present, wanted) {
		if err := l.Tagging.Remove(ctx, tag, lb.ID); err != nil {
			return fmt.Errorf("removing an ownership tag of balancer %s: %w", lb.ID, err)
		}
		lb.Tags = without(lb.Tags, []string{tag})
	}
	return nil
}

// keepName returns the change of a balancer that keeps its name.
func keepName(name string, change cloud.Change) cloud.Change {
	after := *change.After
	after.Name, change.After = name, &after
	change.Operations = slices.DeleteFunc(slices.Clone(change.Operations), func(op cloud.Operation) bool { return op.Field == cloud.FieldName })
	return change
}

// needsPut reports whether something differs that only a PUT can change. Targets given by a
// tag have to be given by id first.
func needsPut(lb *godo.LoadBalancer, change cloud.Change) bool {
	return lb.Tag != "" || slices.ContainsFunc(change.Operations, func(op cloud.Operation) bool {
		return op.Kind != cloud.KindTarget && op.Field != cloud.FieldOwnershipTags
	})
}

func (l *Balancers) put(ctx context.Context, lb *godo.LoadBalancer, change cloud.Change) (*godo.LoadBalancer, error) {
	var updated *godo.LoadBalancer
	request, err := object.Request(lb, *change.After, l.Asked(change.Input.Spec))
	if err == nil {
		updated, _, err = l.API.Update(ctx, lb.ID, request)
	}
	if err == nil && (updated == nil || updated.ID != lb.ID) {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, fmt.Errorf("updating balancer %s: %w", lb.ID, err)
	}
	return updated, nil
}

// settleTargets adds what is missing, then removes what is too much, and notes both. After a PUT there is
// usually nothing left to do, except that a PUT can't express "no targets".
func (l *Balancers) settleTargets(ctx context.Context, lb *godo.LoadBalancer, targets []cloud.InstanceID) error {
	wanted, err := object.DropletIDs(targets)
	if err != nil {
		return fmt.Errorf("changing the targets of balancer %s: %w", lb.ID, err)
	}
	if missing := without(wanted, lb.DropletIDs); len(missing) > 0 {
		if _, err := l.API.AddDroplets(ctx, lb.ID, missing...); err != nil {
			return fmt.Errorf("adding targets to balancer %s: %w", lb.ID, refusedTargets(err, missing, false))
		}
		lb.DropletIDs = slices.Concat(lb.DropletIDs, missing)
	}
	if extra := without(lb.DropletIDs, wanted); len(extra) > 0 {
		if _, err := l.API.RemoveDroplets(ctx, lb.ID, extra...); err != nil {
			return fmt.Errorf("removing targets from balancer %s: %w", lb.ID, err)
		}
		lb.DropletIDs = wanted
	}
	return nil
}

// progress says what Apply learnt, so that nothing has to be read again.
func (l *Balancers) progress(lb *godo.LoadBalancer, change cloud.Change) cloud.Progress {
	o := l.Observed(lb, change.Input.Spec)
	found := desired.Found.Open(change.Before.Findings).On(desired.Found.Open(o.Findings))
	o.Findings, o.Record = desired.Found.Seal(found), change.Before.Record
	return cloud.Progress{Observed: &o, Pending: o.State == cloud.BalancerPending}
}

// without returns the elements of a that are not in b.
func without[T comparable](a, b []T) (rest []T) {
	in := map[T]bool{}
	for _, x := range b {
		in[x] = true
	}
	for _, x := range a {
		if !in[x] {
			rest = append(rest, x)
		}
	}
	return rest
}
