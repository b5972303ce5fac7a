package balancer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
)

// owner says whose a balancer is. Upstream's default name holds the Service's UID and proves
// as much as our own mark.
func (l *Balancers) owner(lb *godo.LoadBalancer, spec cloud.Spec) cloud.Owner {
	_, owner := l.ReadMarks(lb.Tags, spec.Ref.Owner)
	if uid := spec.Ref.Owner.UID; owner.UID == "" && uid != "" && lb.Name == cloud.UIDName(uid) {
		owner.UID = uid
	}
	return owner
}

// isOwn reports whether a balancer is provably the Service's.
func (l *Balancers) isOwn(lb *godo.LoadBalancer, spec cloud.Spec) bool {
	uid := spec.Ref.Owner.UID
	return uid != "" && l.owner(lb, spec).UID == uid
}

// duplicates are the other balancers of a list that are provably the Service's. One that is made to
// take the place of another is none.
func (l *Balancers) duplicates(lb *godo.LoadBalancer, all []godo.LoadBalancer, spec cloud.Spec) []string {
	var ids []string
	for i := range all {
		if all[i].ID != lb.ID && l.isOwn(&all[i], spec) && !strings.HasSuffix(all[i].Name, besideSuffix) {
			ids = append(ids, all[i].ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func sharesServiceTag(lb *godo.LoadBalancer, all []godo.LoadBalancer) bool {
	return slices.ContainsFunc(all, func(other godo.LoadBalancer) bool {
		return other.ID != lb.ID && slices.ContainsFunc(other.Tags, func(tag string) bool {
			return strings.HasPrefix(strings.ToLower(tag), markService) && slices.Contains(lb.Tags, tag)
		})
	})
}

func (l *Balancers) deleteTag(ctx context.Context, owner cloud.Owner) {
	_, _ = l.API.Tags.Delete(ctx, serviceTag(owner))
}

// tagRemains reports whether a process ended between the deletion of the Service's balancer and
// that of its tag.
func (l *Balancers) tagRemains(ctx context.Context, owner cloud.Owner) bool {
	return owner.UID != "" && l.carriers(ctx, owner) == 0
}

// carriers returns how many things of the account have the Service's tag; -1 is not known, or no such tag.
func (l *Balancers) carriers(ctx context.Context, owner cloud.Owner) int {
	found, _, err := l.API.Tags.Get(ctx, serviceTag(owner))
	if err != nil || found == nil || found.Resources == nil {
		return -1
	}
	return found.Resources.Count
}

// isOnlyHere reports whether the balancer has its Service's tag and nothing else has: a second balancer of the
// Service may have it, and so may that of a cluster that was restored from the same backup. A list of all
// balancers says so, or else the API, which counts.
func (l *Balancers) isOnlyHere(ctx context.Context, change cloud.Change) bool {
	owner, lb := change.Spec.Ref.Owner, nativeOf(change.Before)
	another := change.Replaced || change.Spec.Beside != nil // has the tag too, or will have it
	if lb == nil || another || !slices.Contains(change.Before.Balancer.OwnershipTags, serviceTag(owner)) {
		return false
	}
	return lb.alone || l.carriers(ctx, owner) == 1
}

// settleMarks repairs the owner marks, and notes them. They go through the tags, because a PUT ignores them.
func (l *Balancers) settleMarks(ctx context.Context, lb *godo.LoadBalancer, change cloud.Change) error {
	wanted := change.After.OwnershipTags
	present, _ := l.ReadMarks(lb.Tags, change.Spec.Ref.Owner)
	for _, tag := range without(wanted, present) {
		if err := l.tag(ctx, tag, lb.ID); err != nil {
			return fmt.Errorf("marking balancer %s: %w", lb.ID, err)
		}
		lb.Tags = slices.Concat(lb.Tags, []string{tag})
	}
	for _, tag := range without(present, wanted) {
		if err := l.untag(ctx, tag, lb.ID); err != nil {
			return fmt.Errorf("removing a mark of balancer %s: %w", lb.ID, err)
		}
		lb.Tags = without(lb.Tags, []string{tag})
	}
	return nil
}

// tag puts a tag on a balancer. The API refuses a tag that nothing ever had, so one that only
// this Service can have is made first, and one of the whole cluster only where it has to be.
func (l *Balancers) tag(ctx context.Context, tag, id string) error {
	request := &godo.TagResourcesRequest{Resources: []godo.Resource{{ID: id, Type: godo.LoadBalancerResourceType}}}
	if !strings.HasPrefix(tag, markService) {
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
