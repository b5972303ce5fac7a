package balancer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/mark"
)

// Apply implements cloud.Balancers.
//
//	before   after   operations     requests
//	any      nothing any            DELETE of its tags and of it
//	nothing  any     any            POST
//	exists   exists  marks          POST and DELETE /v2/tags/…, before the others
//	exists   exists  targets only   POST and DELETE …/droplets
//	exists   exists  others         one PUT of the whole object
func (l *Balancers) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	before := nativeOf(change.Before)
	switch {
	case change.After == nil:
		return l.delete(ctx, change)
	case !change.Before.Found:
		return l.create(ctx, change)
	case before == nil:
		return cloud.Progress{}, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	}
	lb, err := l.update(ctx, before.LoadBalancer, change)
	return l.progress(lb, change), err
}

func (l *Balancers) create(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	request, err := l.CreateRequest(*change.After, change.Spec)
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("creating balancer %s: %w", change.After.Name, err)
	}
	lb, _, err := l.API.LoadBalancers.Create(ctx, request)
	if err == nil && lb == nil {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("creating balancer %s: %w", change.After.Name, err)
	}
	return l.progress(lb, change), nil
}

// delete removes the balancer, then the Service's tag if nothing has it any more: until then it proves whose
// the balancer is. A tag nothing carries costs nothing, so its removal may fail.
func (l *Balancers) delete(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	id, owner := change.Before.ID, change.Spec.Ref.Owner
	if !change.Before.Found && change.Before.Orphans {
		l.deleteTag(ctx, owner)
		return cloud.Progress{}, nil
	}
	if !change.Before.Found || !identifier.IsIdentifier(id) {
		return cloud.Progress{}, nil
	}
	unused := l.isOnlyHere(ctx, change)
	_, err := l.API.LoadBalancers.Delete(ctx, id)
	if api.IsNotFound(err) {
		// It was there when it was observed: without another look nothing is believed, and its tags stay.
		return cloud.Progress{Pending: true}, nil
	}
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("deleting balancer %s: %w", id, err)
	}
	if unused {
		l.deleteTag(ctx, owner)
	}
	return cloud.Progress{}, nil
}

// isOnlyHere reports whether the balancer has its Service's tag and nothing else has: a second balancer of the
// Service may have it, and so may that of a cluster that was restored from the same backup. A list of all
// balancers says so, or else the API, which counts.
func (l *Balancers) isOnlyHere(ctx context.Context, change cloud.Change) bool {
	owner, lb := change.Spec.Ref.Owner, nativeOf(change.Before)
	another := change.Replaced || change.Spec.Beside != nil // has the tag too, or will have it
	if lb == nil || another || !slices.Contains(change.Before.Balancer.OwnershipTags, mark.ServiceTag(owner)) {
		return false
	}
	return lb.alone || l.carriers(ctx, owner) == 1
}

func (l *Balancers) deleteTag(ctx context.Context, owner cloud.Owner) {
	_, _ = l.API.Tags.Delete(ctx, mark.ServiceTag(owner))
}

// tagRemains reports whether a process ended between the deletion of the Service's balancer and
// that of its tag.
func (l *Balancers) tagRemains(ctx context.Context, owner cloud.Owner) bool {
	return owner.UID != "" && l.carriers(ctx, owner) == 0
}

// carriers returns how many things of the account have the Service's tag; -1 is not known, or no such tag.
func (l *Balancers) carriers(ctx context.Context, owner cloud.Owner) int {
	found, _, err := l.API.Tags.Get(ctx, mark.ServiceTag(owner))
	if err != nil || found == nil || found.Resources == nil {
		return -1
	}
	return found.Resources.Count
}

// update brings an existing balancer to the wanted state and returns what is known of it
// afterwards. It is marked first, because a new name would leave it without any proof of whose it
// is. When the API refuses marks or new settings, the targets are still changed: nodes come and go,
// whatever is wrong with an annotation.
func (l *Balancers) update(ctx context.Context, lb *godo.LoadBalancer, change cloud.Change) (*godo.LoadBalancer, error) {
	lb, refused := l.settleMarks(ctx, lb, change)
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
	lb, err := l.settleTargets(ctx, lb, change.After.Targets)
	return lb, errors.Join(refused, err)
}

// needsPut reports whether something differs that only a PUT can change. Targets given by a
// tag have to be given by id first.
func needsPut(lb *godo.LoadBalancer, change cloud.Change) bool {
	return lb.Tag != "" || slices.ContainsFunc(change.Operations, func(op cloud.Operation) bool {
		return op.Kind != cloud.KindTarget && op.Field != cloud.FieldOwnershipTags
	})
}

func (l *Balancers) put(ctx context.Context, lb *godo.LoadBalancer, change cloud.Change) (*godo.LoadBalancer, error) {
	request, err := desired.UpdateRequest(lb, *change.After, change.Spec)
	if err != nil {
		return nil, fmt.Errorf("updating balancer %s: %w", lb.ID, err)
	}
	updated, _, err := l.API.LoadBalancers.Update(ctx, lb.ID, request)
	if err == nil && (updated == nil || updated.ID != lb.ID) {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, fmt.Errorf("updating balancer %s: %w", lb.ID, err)
	}
	return updated, nil
}

// settleTargets adds what is missing, then removes what is too much. After a PUT there is
// usually nothing left to do, except that a PUT can't express "no targets".
func (l *Balancers) settleTargets(ctx context.Context, lb *godo.LoadBalancer, targets []cloud.InstanceID) (*godo.LoadBalancer, error) {
	wanted, err := desired.DropletIDs(targets)
	if err != nil {
		return lb, fmt.Errorf("changing the targets of balancer %s: %w", lb.ID, err)
	}
	if missing := without(wanted, lb.DropletIDs); len(missing) > 0 {
		if _, err := l.API.LoadBalancers.AddDroplets(ctx, lb.ID, missing...); err != nil {
			return lb, fmt.Errorf("adding targets to balancer %s: %w", lb.ID, err)
		}
		lb = withDroplets(lb, append(slices.Clone(lb.DropletIDs), missing...))
	}
	if extra := without(lb.DropletIDs, wanted); len(extra) > 0 {
		if _, err := l.API.LoadBalancers.RemoveDroplets(ctx, lb.ID, extra...); err != nil {
			return lb, fmt.Errorf("removing targets from balancer %s: %w", lb.ID, err)
		}
		lb = withDroplets(lb, wanted)
	}
	return lb, nil
}

// settleMarks repairs the owner marks. They go through the tags, because a PUT ignores them.
func (l *Balancers) settleMarks(ctx context.Context, lb *godo.LoadBalancer, change cloud.Change) (*godo.LoadBalancer, error) {
	wanted := change.After.OwnershipTags
	present, _ := l.Owners.Read(lb.Tags, change.Spec.Ref.Owner)
	for _, tag := range without(wanted, present) {
		if err := l.tag(ctx, tag, lb.ID); err != nil {
			return lb, fmt.Errorf("marking balancer %s: %w", lb.ID, err)
		}
		lb = withTags(lb, append(slices.Clone(lb.Tags), tag))
	}
	for _, tag := range without(present, wanted) {
		if err := l.untag(ctx, tag, lb.ID); err != nil {
			return lb, fmt.Errorf("removing a mark of balancer %s: %w", lb.ID, err)
		}
		lb = withTags(lb, without(lb.Tags, []string{tag}))
	}
	return lb, nil
}

// tag puts a tag on a balancer. The API refuses a tag that nothing ever had, so one that only
// this Service can have is made first, and one of the whole cluster only where it has to be.
func (l *Balancers) tag(ctx context.Context, tag, id string) error {
	request := &godo.TagResourcesRequest{Resources: []godo.Resource{{ID: id, Type: godo.LoadBalancerResourceType}}}
	if !strings.HasPrefix(tag, mark.MarkService) {
		if _, err := l.API.Tags.TagResources(ctx, tag, request); !api.IsNotFound(err) {
			return err
		}
	}
	if _, _, err := l.API.Tags.Create(ctx, &godo.TagCreateRequest{Name: tag}); err != nil {
		return err
	}
	_, err := l.API.Tags.TagResources(ctx, tag, request)
	return err
}

func (l *Balancers) untag(ctx context.Context, tag, id string) error {
	_, err := l.API.Tags.UntagResources(ctx, tag, &godo.UntagResourcesRequest{
		Resources: []godo.Resource{{ID: id, Type: godo.LoadBalancerResourceType}},
	})
	if api.IsNotFound(err) {
		return nil
	}
	return err
}

// progress says what Apply learnt, so that nothing has to be read again.
func (l *Balancers) progress(lb *godo.LoadBalancer, change cloud.Change) cloud.Progress {
	o := l.Observed(lb, change.Spec)
	facts := maps.Clone(change.Before.Lookups)
	if facts == nil {
		facts = map[string]string{}
	}
	maps.Copy(facts, o.Lookups)
	o.Lookups, o.Record = facts, change.Before.Record
	p := cloud.Progress{Observed: &o}
	if o.State == cloud.BalancerPending {
		p.Pending, p.After = true, readyAfter
	}
	return p
}

func withDroplets(lb *godo.LoadBalancer, ids []int) *godo.LoadBalancer {
	c := *lb
	c.DropletIDs = ids
	return &c
}

func withTags(lb *godo.LoadBalancer, tags []string) *godo.LoadBalancer {
	c := *lb
	c.Tags = tags
	return &c
}

// without returns the elements of a that are not in b.
func without[T comparable](a, b []T) []T {
	in := map[T]bool{}
	for _, x := range b {
		in[x] = true
	}
	var rest []T
	for _, x := range a {
		if !in[x] {
			rest = append(rest, x)
		}
	}
	return rest
}
