package balancer

import (
	"context"
	"slices"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// owner says whose a balancer is. Upstream's default name holds the Service's UID and proves
// as much as our own ownership tag.
func (l *Balancers) owner(lb *godo.LoadBalancer, spec cloud.Spec) cloud.Owner {
	_, owner := l.ReadOwnershipTags(lb.Tags, spec.Ref.Owner)
	if owner.UID == "" && ownership.IsInName(lb.Name, spec.Ref.Owner) {
		owner.UID = spec.Ref.Owner.UID
	}
	return owner
}

// isOwn reports whether a balancer is provably the Service's.
func (l *Balancers) isOwn(lb *godo.LoadBalancer, spec cloud.Spec) bool {
	return ownership.IsTagged(l.owner(lb, spec), spec.Ref.Owner)
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
			return strings.HasPrefix(strings.ToLower(tag), ownershipTagService) && slices.Contains(lb.Tags, tag)
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
