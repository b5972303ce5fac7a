package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// AWS has two kinds of load balancers for Services: classic and network ones, with an API each.
// What they have in common is here; classic*.go and network*.go are about one of them.

// snapshot is what was read of a Service's balancer and of what surrounds it.
type snapshot struct {
	area *area
	// One of classic and network is set where the balancer exists.
	classic *classicBalancer
	network *networkBalancer
	// own are the security groups that were made for the balancer, of either kind, also where
	// there is no balancer any more. They are read when it is to be deleted.
	own []ec2types.SecurityGroup
	// spares are target groups of the Service that no listener leads to.
	spares []targetGroup
	// taken are the names of all target groups there are.
	taken map[string]bool
	// alive are the ARNs of all network balancers, nil where they were not listed.
	alive map[string]bool
}

// name returns the balancer's name, where there is none the one it would have.
func (s *snapshot) name(spec cloud.Spec) string {
	switch {
	case s.classic != nil:
		return awssdk.ToString(s.classic.LoadBalancerName)
	case s.network != nil:
		return awssdk.ToString(s.network.LoadBalancerName)
	}
	return wantedName(spec)
}

// wantedName returns the name the balancer shall have. One that was taken over keeps its own.
func wantedName(spec cloud.Spec) string {
	return cmp.Or(keyName.In(spec.Options), spec.Facts[factName], defaultName(spec.Ref.Owner.UID))
}

// wantedKind returns the kind the Service asks for, or has to keep.
func wantedKind(spec cloud.Spec) string {
	if pinned := spec.Pinned[fieldType]; pinned != "" {
		return pinned
	}
	if keyType.In(spec.Options) == typeNetwork {
		return kindNetwork
	}
	return kindClassic
}

// survey is all balancers of the VPC and what surrounds them.
type survey struct {
	area    *area
	classic []classicBalancer
	network []networkBalancer
	groups  []targetGroup // with tags where no listener leads to them
}

// Survey implements cloud.Surveyor.
func (d *Driver) Survey(ctx context.Context) (cloud.Survey, error) {
	a, err := d.readArea(ctx)
	if err != nil {
		return nil, err
	}
	s := &survey{area: a}
	if s.classic, err = d.listClassic(ctx); err != nil {
		return nil, err
	}
	if s.network, err = d.listNetwork(ctx); err != nil {
		return nil, err
	}
	s.groups, err = d.listTargetGroups(ctx)
	return s, err
}

// Observe implements cloud.Balancers. It looks for the kind that is wanted first: the other one
// only matters when there is none, or when there was a change of kind.
func (d *Driver) Observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	v, _ := spec.Survey.(*survey)
	s := &snapshot{}
	var err error
	if v != nil {
		s.area = v.area
	} else if s.area, err = d.readArea(ctx); err != nil {
		return cloud.Observed{}, err
	}
	if s.area, err = d.with(ctx, s.area, spec); err != nil {
		return cloud.Observed{}, err
	}
	byName, err := d.find(ctx, s, v, spec)
	if err != nil {
		return cloud.Observed{}, err
	}
	var o cloud.Observed
	switch {
	case s.classic != nil:
		o, err = d.observeClassic(ctx, s, spec)
	case s.network != nil:
		o, err = d.observeNetwork(ctx, s, v, spec)
	default:
		return d.absent(ctx, s, v, spec)
	}
	o.ByName = byName && o.Owner.UID != spec.Ref.Owner.UID
	return o, err
}

// find looks for the balancer: by id, by name, and by mark last, which takes a list of all:
//
//	looked for by       kinds                    proves by itself
//	Ref.ID              the one the id is of     yes
//	the wanted name     the wanted, the other    no
//	the default name    the wanted, the other    no
//	the UID in a mark   both                     no
//
// One that only has the name, and belongs to somebody else, is the answer when there is no other.
func (d *Driver) find(ctx context.Context, s *snapshot, v *survey, spec cloud.Spec) (byName bool, err error) {
	if id := spec.Ref.ID; id != "" {
		if found, err := d.findKind(ctx, s, v, kindOf(id), id); found || err != nil {
			return false, err
		}
	}
	var foreign *snapshot
	first := wantedKind(spec)
	names := slices.Compact([]string{wantedName(spec), defaultName(spec.Ref.Owner.UID)})
	for _, kind := range []string{first, otherKind(first)} {
		for _, name := range names {
			found, err := d.findKind(ctx, s, v, kind, name)
			if err != nil || found && d.mayBeOurs(s, spec.Ref.Owner) {
				return true, err
			}
			if found && foreign == nil {
				foreign = &snapshot{classic: s.classic, network: s.network}
			}
			s.classic, s.network = nil, nil
		}
	}
	if err := d.findMark(ctx, s, v, spec); err != nil {
		return true, err
	}
	if s.classic == nil && s.network == nil && foreign != nil {
		s.classic, s.network = foreign.classic, foreign.network
	}
	return true, nil
}

// mayBeOurs reports whether the marks of what was found by its name say nothing else.
func (d *Driver) mayBeOurs(s *snapshot, us cloud.Owner) bool {
	var tags map[string]string
	if s.classic != nil {
		tags = s.classic.tags
	} else {
		tags = s.network.tags
	}
	owner := d.owner(s.name(cloud.Spec{}), tags, us)
	if owner.UID != "" {
		return owner.UID == us.UID
	}
	return owner.Cluster == us.Cluster && (owner.Name == "" || owner.String() == us.String())
}

// kindOf returns the kind of balancer that an id is of: network ones have ARNs.
func kindOf(id string) string {
	if strings.HasPrefix(id, "arn:") {
		return kindNetwork
	}
	return kindClassic
}

func otherKind(kind string) string {
	if kind == kindClassic {
		return kindNetwork
	}
	return kindClassic
}

func (d *Driver) findKind(ctx context.Context, s *snapshot, v *survey, kind, id string) (found bool, err error) {
	switch {
	case kind == kindClassic && v == nil:
		s.classic, err = d.findClassic(ctx, id)
	case kind == kindClassic:
		s.classic = pick(v.classic, func(lb *classicBalancer) bool { return awssdk.ToString(lb.LoadBalancerName) == id })
	case v == nil:
		s.network, err = d.findNetwork(ctx, id)
	default:
		s.network = pick(v.network, func(lb *networkBalancer) bool {
			return awssdk.ToString(lb.LoadBalancerName) == id || awssdk.ToString(lb.LoadBalancerArn) == id
		})
	}
	return s.classic != nil || s.network != nil, err
}

// findMark looks for a balancer whose tags have the Service's UID: its name was chosen, and is
// another one now.
func (d *Driver) findMark(ctx context.Context, s *snapshot, v *survey, spec cloud.Spec) error {
	if v == nil {
		var err error
		v = &survey{}
		if v.classic, err = d.listClassic(ctx); err != nil {
			return err
		}
		if v.network, err = d.listNetwork(ctx); err != nil {
			return err
		}
	}
	s.alive = map[string]bool{}
	for _, lb := range v.network {
		s.alive[awssdk.ToString(lb.LoadBalancerArn)] = true
	}
	uid := spec.Ref.Owner.UID
	marked := func(tags map[string]string) bool { return uid != "" && marks.Owner(tags).UID == uid }
	if s.classic = pick(v.classic, func(lb *classicBalancer) bool { return marked(lb.tags) }); s.classic == nil {
		s.network = pick(v.network, func(lb *networkBalancer) bool { return marked(lb.tags) })
	}
	return nil
}

// pick returns a copy of the first item that fits, nil when none does.
func pick[T any](list []T, fits func(*T) bool) *T {
	for i := range list {
		if fits(&list[i]) {
			found := list[i]
			return &found
		}
	}
	return nil
}

// absent is the observation when there is no balancer. When the Service leaves, what a broken
// deletion left is looked for.
func (d *Driver) absent(ctx context.Context, s *snapshot, v *survey, spec cloud.Spec) (cloud.Observed, error) {
	o := cloud.Observed{Native: s, Facts: d.facts(s, spec)}
	if err := d.readSpares(ctx, s, v, spec); err != nil {
		return o, err
	}
	if !spec.Leaving {
		return o, nil
	}
	d.findOwn(s, spec)
	left, err := d.leftRules(ctx, s, spec)
	o.Remains = len(s.own)+len(s.spares) > 0 || left
	return o, err
}

// findOwn finds the security groups that were made for the balancer, of either kind, in an area
// that has all of the VPC's:
//
//	named for                   marks       ours
//	any balancer                this UID    yes
//	the balancer there is       any of the  yes: it was taken over with it
//	                            cluster
//	the wanted or default name  none        yes, unless they are another cluster's
func (d *Driver) findOwn(s *snapshot, spec cloud.Spec) {
	names := d.groupNames(spec, wantedName(spec), defaultName(spec.Ref.Owner.UID))
	var present []groupName
	if s.classic != nil || s.network != nil {
		present = d.groupNames(spec, s.name(spec))
	}
	s.own = nil
	for _, id := range sortedGroups(s.area) {
		group := s.area.groups[id]
		uid := marks.Owner(tagsOf(group.Tags)).UID
		named := func(n groupName) bool { return n.owns(group) }
		switch {
		case d.isAnothers(group, spec.Ref.Owner):
		case uid == spec.Ref.Owner.UID && uid != "" || uid == "" && slices.ContainsFunc(names, named) || slices.ContainsFunc(present, named):
			s.own = append(s.own, group)
		}
	}
}

// isGroupOurs reports whether a group of the right name is not another Service's.
func (d *Driver) isGroupOurs(g ec2types.SecurityGroup, spec cloud.Spec) bool {
	if uid := marks.Owner(tagsOf(g.Tags)).UID; uid != "" {
		return uid == spec.Ref.Owner.UID
	}
	return !d.isAnothers(g, spec.Ref.Owner)
}

// groupNames are those of the security groups that balancers of these names may have for
// themselves.
func (d *Driver) groupNames(spec cloud.Spec, balancers ...string) []groupName {
	name, words := networkGroup(d.clusterName, spec.Ref.Owner)
	names := []groupName{{name, words}}
	for _, balancer := range balancers {
		name, words := classicGroup(balancer, spec.Ref.Owner)
		names = append(names, groupName{name, words})
	}
	return names
}

// facts returns what Normalize needs to know of the surroundings.
func (d *Driver) facts(s *snapshot, spec cloud.Spec) map[string]string {
	facts := map[string]string{}
	scope, present := cloud.ScopeOf(keyInternal.In(spec.Options) == "true"), []string(nil)
	switch {
	case s.classic != nil:
		scope, present = s.classic.scope(), s.classic.Subnets
	case s.network != nil:
		scope, present = s.network.scope(), s.network.subnets()
		facts[factAddresses] = placesText(s.network.subnets(), s.network.addressOf)
		facts[factGroups] = cmp.Or(d.groupsText(s, spec), groupless)
	}
	if s.classic != nil || s.network != nil {
		facts[factName] = s.name(spec)
	}
	ids, err := d.chooseSubnets(s.area, spec, scope, present)
	if problem, ok := errors.AsType[*cloud.Invalid](err); ok {
		facts[factSubnetProblem] = problem.Want
	}
	facts[factSubnets] = strings.Join(ids, ",")
	if !d.config.balancer.leaveNodeGroups {
		facts[factShut] = strings.Join(d.shutNodes(s.area, spec.Candidates), ", ")
	}
	if _, v6 := s.area.ranges(ids); len(v6) >= len(ids) && len(ids) > 0 {
		facts[factIPv6] = "true"
	}
	return facts
}

// subnetsOf returns the subnets of the facts.
func subnetsOf(spec cloud.Spec) ([]string, error) {
	if problem := spec.Facts[factSubnetProblem]; problem != "" {
		return nil, &cloud.Invalid{Field: keySubnets.Name, Value: keySubnets.In(spec.Options), Want: problem}
	}
	if spec.Facts[factSubnets] == "" {
		return nil, nil
	}
	return strings.Split(spec.Facts[factSubnets], ","), nil
}

// Normalize implements cloud.Balancers.
func (d *Driver) Normalize(spec cloud.Spec) (cloud.Balancer, []cloud.Note, error) {
	if spec.LoadBalancerIP != "" {
		return cloud.Balancer{}, nil, &cloud.Invalid{
			Field: "spec.loadBalancerIP", Value: spec.LoadBalancerIP,
			Want: "AWS gives the address; network balancers take " + keyAddresses.Name + " and " + keyPrivate.Name,
		}
	}
	normalize := d.normalizeClassic
	if wantedKind(spec) == kindNetwork {
		normalize = d.normalizeNetwork
	}
	b, notes, err := normalize(spec)
	return b, append(notes, remarks(spec)...), err
}

// Eligible implements cloud.Balancers.
//
//	in the VPC  cluster's tag  Fargate  registered as  can be a target
//	no          –              –        –              no
//	yes         no             no       –              no: upstream does not use it either
//	yes         –              yes      instance       no: it is none
//	yes         –              yes      ip             yes
//	yes         yes            no       –              yes
func (d *Driver) Eligible(b cloud.Balancer, t cloud.Target) string {
	fargate := t.Traits[traitFargate] == "true"
	switch {
	case t.Traits[traitVPC] != d.config.vpc:
		return fmt.Sprintf("it is in VPC %q and the balancer in %s", t.Traits[traitVPC], d.config.vpc)
	case fargate && !registersAddresses(b):
		return "it is no instance; " + keyTargetType.Name + ": " + targetIP + " would do"
	case !fargate && t.Traits[traitTagged] != "true":
		return "it has no tag " + tagClusterPrefix + d.config.clusterID
	}
	return ""
}

// Apply implements cloud.Balancers.
func (d *Driver) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	s, ok := change.Before.Native.(*snapshot)
	if !ok {
		return cloud.Progress{}, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	}
	if change.After == nil {
		return d.delete(ctx, s, change)
	}
	switch network := change.After.Extras[fieldType] == kindNetwork; {
	case s.classic != nil:
		return d.updateClassic(ctx, s, change)
	case s.network != nil:
		return d.updateNetwork(ctx, s, change)
	case network:
		return d.createNetwork(ctx, s, change)
	default:
		return d.createClassic(ctx, s, change)
	}
}

// delete deletes the balancer, of which perhaps only parts are left, and what was made for it:
//
//	1  its own security groups get our mark, where they would not be found without the balancer
//	2  the rules for it in the security groups of nodes, which have its name
//	3  the balancer with its listeners
//	4  target groups
//	5  its own security groups
//
// What is still in use is deleted in a later pass.
func (d *Driver) delete(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	if s.network != nil && s.network.attributes[attributeProtection] == "true" {
		return cloud.Progress{}, &cloud.Invalid{
			Field: keyProtection.Name, Value: "true",
			Want: "the network load balancer " + s.name(change.Spec) + " is protected from deletion: switch that off in AWS",
		}
	}
	d.findOwn(s, change.Spec)
	if err := d.claimOwn(ctx, s, change.Spec); err != nil {
		return cloud.Progress{}, err
	}
	if err := d.closeNodes(ctx, s.area, d.departing(ctx, s, change.Spec)); err != nil {
		return cloud.Progress{}, err
	}
	var busy cloud.Progress
	var err error
	switch {
	case s.classic != nil:
		err = d.deleteClassic(ctx, s, change.Spec)
	case s.network != nil:
		busy, err = d.deleteNetwork(ctx, s, change)
	default:
		busy, err = d.deleteSpares(ctx, s)
	}
	if err != nil {
		return busy, err
	}
	for _, group := range s.own {
		gone, err := d.dropGroup(ctx, s.area, awssdk.ToString(group.GroupId))
		if err != nil {
			return busy, err
		}
		busy.Pending = busy.Pending || !gone
	}
	return busy, nil
}

// claimOwn marks the security groups that only the balancer leads to: one that was taken over, or
// has another name than the Service asks for by now.
func (d *Driver) claimOwn(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	names := d.groupNames(spec, wantedName(cloud.Spec{Ref: spec.Ref, Options: spec.Options}), defaultName(spec.Ref.Owner.UID))
	for _, group := range s.own {
		uid := marks.Owner(tagsOf(group.Tags)).UID
		if uid == spec.Ref.Owner.UID || uid == "" && slices.ContainsFunc(names, func(n groupName) bool { return n.owns(group) }) {
			continue
		}
		_, err := d.compute.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{awssdk.ToString(group.GroupId)}, Tags: ec2Tags(marks.Of(spec.Ref.Owner))})
		if err != nil {
			return fmt.Errorf("marking security group %s: %w", awssdk.ToString(group.GroupId), err)
		}
	}
	return nil
}
