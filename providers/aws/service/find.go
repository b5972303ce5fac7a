package service

import (
	"context"
	"iter"
	"regexp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// namedNew are the ids of security groups on the Service that its balancer does not have yet.
func (s *snapshot) namedNew(spec cloud.Spec) []string {
	named := slices.Concat(option.Groups.List(spec.Options), option.ExtraGroups.List(spec.Options))
	return slices.DeleteFunc(named, func(id string) bool { return slices.Contains(s.seen().groups, id) })
}

// find looks for the balancer: by id, which may be read alone, by name where it was there a moment ago, and then in lists of all,
// from which package ownership chooses.
func (bs *Balancers) find(ctx context.Context, s *snapshot, v *bulkList, in cloud.Input) (err error) {
	if v == nil {
		if bs.isBalancerID(in.ID) {
			if err = bs.findID(ctx, s, in.ID); err != nil || s.exists() {
				return err
			}
		}
		if err = bs.findMade(ctx, s, in); err != nil || s.exists() {
			return err
		}
		if v, err = bs.lists(ctx, tag.Children(in.Owner)); err != nil {
			return err
		}
	}
	s.know(v)
	bs.choose(s, v, in)
	return nil
}

// findMade reads the balancer by its name where it was there a moment ago. One that is new as a rule is looked for in lists at
// once: by its name it would not be found.
func (bs *Balancers) findMade(ctx context.Context, s *snapshot, in cloud.Input) (err error) {
	if in.Last == nil {
		return nil
	}
	if name := possibleNames(in)[0]; balancer.Kind(in) == balancer.KindClassic {
		s.classic, err = bs.Classic.Find(ctx, name)
	} else {
		s.network, err = bs.findNetwork(ctx, s, name)
	}
	if !s.exists() || !bs.mayBeOurs(s.seen(), in.Owner) {
		s.found = found{}
	}
	lb := s.seen()
	s.byName = s.exists() && !ownership.IsTagged(bs.Cluster.Owner(lb.name, lb.tags, in.Owner), in.Owner)
	return err
}

// choose picks the balancer of the Service from lists. Of several that the same thing leads to, those of the wanted kind come first, and
// of these the one with the wanted name, then the one with the default name.
func (bs *Balancers) choose(s *snapshot, v *bulkList, in cloud.Input) {
	all, names, kind := slices.Collect(v.all()), possibleNames(in), balancer.Kind(in)
	chosen := ownership.Choose(ownership.Search{Input: in, Names: names}, all, func(f found) ownership.Candidate {
		lb := f.seen()
		c := ownership.Candidate{ID: lb.id, Name: lb.name, Owner: bs.Cluster.Owner(lb.name, lb.tags, in.Owner)}
		if c.Rank = slices.Index(names, lb.name); c.Rank < 0 {
			c.Rank = len(names)
		}
		if balancer.KindOf(lb.id) != kind {
			c.Rank += len(names) + 1
		}
		return c
	})
	if s.byName, s.duplicates = chosen.ByName, chosen.Duplicates; chosen.At >= 0 {
		s.found = all[chosen.At].copied()
	}
}

// possibleNames are those that the balancer may have: the wanted one, and the default.
func possibleNames(in cloud.Input) []string {
	return slices.Compact([]string{balancer.Name(in), cloud.UIDName(in.Owner.UID)})
}

// mayBeOurs reports whether the ownership tags of what was found by its name say nothing else.
func (bs *Balancers) mayBeOurs(lb seen, us cloud.Owner) bool {
	whose := ownership.Of(bs.Cluster.Owner(lb.name, lb.tags, us), us)
	return whose == ownership.Ours || whose == ownership.ThisCluster
}

// isBalancerID reports whether the text can be the name of a classic balancer, or the ARN of a network
// one of the region. AWS refuses to read what can't, which would be taken for a failure.
func (bs *Balancers) isBalancerID(id string) bool {
	if balancer.KindOf(id) == balancer.KindClassic {
		return len(id) <= option.MaxName && option.BalancerNames.MatchString(id)
	}
	a, err := arn.Parse(id)
	return err == nil && a.Service == balancerService && a.Region == bs.Region && networkResource.MatchString(a.Resource)
}

// balancerService is the service in the ARNs of balancers.
const balancerService = "elasticloadbalancing"

// networkResource is a load balancer of any type but classic: of which is seen when it is read.
var networkResource = regexp.MustCompile(`^loadbalancer/[a-z]+/[0-9A-Za-z-]{1,32}/[0-9A-Za-z]+$`)

// findID reads the balancer of that id.
func (bs *Balancers) findID(ctx context.Context, s *snapshot, id string) (err error) {
	if balancer.KindOf(id) == balancer.KindClassic {
		s.classic, err = bs.Classic.Find(ctx, id)
	} else {
		s.network, err = bs.findNetwork(ctx, s, id)
	}
	return err
}

// findNetwork reads a network balancer with the target groups: their tags come in one answer.
func (bs *Balancers) findNetwork(ctx context.Context, s *snapshot, id string) (lb *nlb.Balancer, err error) {
	if lb, err = bs.Network.Find(ctx, id); lb == nil || err != nil {
		return nil, err
	}
	id = aws.ToString(lb.LoadBalancerArn)
	groups, tags, err := bs.Network.Targets.List(ctx, func(g targetgroup.Group) bool { return slices.Contains(g.LoadBalancerArns, id) }, id)
	s.groups.Listed, lb.Tags = groups, tags[id]
	return lb, err
}

// lists reads the balancers of both kinds: what is not there by its first name may be by another one, or
// by its tags. Those of target groups are read as in nlb.Balancers.List, by the beginning of their names.
func (bs *Balancers) lists(ctx context.Context, beginning string) (v *bulkList, err error) {
	v = &bulkList{}
	if v.classic, err = bs.Classic.List(ctx); err != nil {
		return nil, err
	}
	v.network, v.names, v.groups, err = bs.Network.List(ctx, beginning)
	return v, err
}

// listsOfDeletion is lists for a balancer that is given up. Classic ones are not read where they would show nothing: there is a
// network balancer with the Service's ownership tag, none with the name of a classic one is recorded, a classic one would have a
// security group of its own, of which there is none, and no node is open for a group that upstream's annotation could have named.
func (bs *Balancers) listsOfDeletion(ctx context.Context, inv *vpc.Inventory, in cloud.Input) (v *bulkList, err error) {
	us := in.Owner
	v = &bulkList{}
	v.network, v.names, v.groups, err = bs.Network.List(ctx, tag.Children(us))
	if err != nil {
		return nil, err
	}
	recorded := in.ID != "" && balancer.KindOf(in.ID) == balancer.KindClassic
	named := bs.Security.LeaveNodeGroups || !bs.Classic.HasOwnGroup(in.Spec) || secgroup.OpensForNamed(inv)
	classic := recorded || named || slices.ContainsFunc(bs.Security.Own(inv, us, secgroup.Name{}), secgroup.IsOfClassic)
	if classic || !v.has(func(lb seen) bool { return lb.isTagged(us) }) {
		v.classic, err = bs.Classic.List(ctx)
	}
	return v, err
}

// all are the balancers of both kinds.
func (v *bulkList) all() iter.Seq[found] {
	return func(yield func(found) bool) {
		for i := range v.classic {
			if !yield(found{classic: &v.classic[i]}) {
				return
			}
		}
		for i := range v.network {
			if !yield(found{network: &v.network[i]}) {
				return
			}
		}
	}
}

// copied is a copy, to which what is read of the balancer is added.
func (f found) copied() found {
	if f.classic != nil {
		return found{classic: new(*f.classic)}
	}
	return found{network: new(*f.network)}
}

// has reports whether a balancer of either kind fits.
func (v *bulkList) has(fits func(seen) bool) bool {
	for f := range v.all() {
		if fits(f.seen()) {
			return true
		}
	}
	return false
}

// namedBeside reports whether a balancer besides the one has a name that the Service's may have, and no ownership tags that say
// otherwise. Upstream leaves such a one when the Service asks for another kind.
func (bs *Balancers) namedBeside(v *bulkList, than string, in cloud.Input) bool {
	names := possibleNames(in)
	return v.has(func(lb seen) bool {
		return lb.id != than && slices.Contains(names, lb.name) && bs.mayBeOurs(lb, in.Owner)
	})
}

// know takes from lists what else they show, where there are any.
func (s *snapshot) know(v *bulkList) {
	if v == nil {
		return
	}
	s.groups.Listed, s.names, s.groups.Alive = v.groups, map[string][]string{balancer.KindNetwork: v.names}, map[string]bool{}
	for _, lb := range v.classic {
		s.names[balancer.KindClassic] = append(s.names[balancer.KindClassic], aws.ToString(lb.LoadBalancerName))
	}
	for _, lb := range v.network {
		s.groups.Alive[aws.ToString(lb.LoadBalancerArn)] = true
	}
}

// ListOwned implements cloud.OwnedLister.
func (bs *Balancers) ListOwned(ctx context.Context, us cloud.Owner) ([]cloud.OwnedBalancer, error) {
	v, err := bs.lists(ctx, "")
	if err != nil {
		return nil, err
	}
	var list []cloud.OwnedBalancer
	for f := range v.all() {
		lb := f.seen()
		list = append(list, cloud.OwnedBalancer{
			ID: lb.id, Name: lb.name, Owners: []cloud.Owner{bs.Cluster.Owner(lb.name, lb.tags, us)}, Created: lb.created, Addresses: balancer.At(lb.host),
		})
	}
	return list, nil
}
