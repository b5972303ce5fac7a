// Package service gives each Service its balancer: it finds it, of whichever kind it is, and hands
// it to the package of its kind.
package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// AWS has two kinds of load balancers for Services: classic and network ones, with an API each.

// Balancers implements cloud.Balancers.
type Balancers struct {
	Region   string
	Cluster  tag.Cluster
	VPC      *vpc.Reader
	Security *secgroup.Groups
	Classic  *elb.Balancers
	Network  *nlb.Balancers
}

// snapshot is what was read of a Service's balancer and of what surrounds it.
type snapshot struct {
	inventory *vpc.Inventory
	// name is the balancer's, where there is none the one it would have.
	name string
	// readNetwork reads where balancers can be placed.
	readNetwork func(context.Context) (*vpc.Network, error)
	found
	// byName says that only its name led to it.
	byName bool
	// duplicates are the ids of others in lists that are the Service's too.
	duplicates []string
	groups     targetgroup.Set
	// names are those of all load balancers by their kind, nil where they were not listed.
	names map[string][]string
}

var native cloud.NativeOf[*snapshot]

// forClassic and forNetwork are what each kind sees of it.
func (s *snapshot) forClassic() *elb.Snapshot {
	return &elb.Snapshot{Inventory: s.inventory, Name: s.name, Balancer: s.classic}
}

func (s *snapshot) forNetwork() *nlb.Snapshot {
	return &nlb.Snapshot{Inventory: s.inventory, Network: s.readNetwork, Name: s.name, Balancer: s.network, Groups: &s.groups}
}

// found is a balancer of either kind, or none.
type found struct {
	classic *elb.Balancer
	network *nlb.Balancer
}

func (f found) exists() bool { return f.classic != nil || f.network != nil }

// seen is what balancers of both kinds say of themselves, the zero value where there is none.
type seen struct {
	id, name string
	scope    cloud.Scope
	tags     map[string]string
	groups   []string
	host     *string
	created  time.Time
}

func (f found) seen() seen {
	switch c, n := f.classic, f.network; {
	case c != nil:
		return seen{aws.ToString(c.LoadBalancerName), aws.ToString(c.LoadBalancerName), c.Scope(), c.Tags, c.SecurityGroups, c.DNSName, aws.ToTime(c.CreatedTime)}
	case n != nil:
		return seen{aws.ToString(n.LoadBalancerArn), aws.ToString(n.LoadBalancerName), n.Scope(), n.Tags, n.SecurityGroups, n.DNSName, aws.ToTime(n.CreatedTime)}
	}
	return seen{}
}

// isTagged reports whether its tags say that it is that Service's.
func (lb seen) isTagged(us cloud.Owner) bool {
	owner := tag.OwnershipTags.Owner(lb.tags)
	return ownership.IsTagged(owner, us) && ownership.Of(owner, us) == ownership.Ours
}

// bulkList is all balancers of the VPC, and the security groups of the cluster.
type bulkList struct {
	of       *Balancers
	security vpc.Groups
	classic  []elb.Balancer
	network  []nlb.Balancer
	names    []string            // of all load balancers but classic ones
	groups   []targetgroup.Group // with tags where they were made for a Service
}

// Observe implements cloud.BulkList.
func (v *bulkList) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return v.of.observe(ctx, v, in)
}

// ReadNetwork is that of cloud.NetworkOf.
func (bs *Balancers) ReadNetwork(ctx context.Context) (*vpc.Network, error) {
	return bs.VPC.ReadNetwork(ctx)
}

// ListBalancers implements cloud.BulkLister.
func (bs *Balancers) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	v, err := bs.lists(ctx, "")
	if err != nil {
		return nil, err
	}
	v.of = bs
	v.security, err = bs.VPC.ReadGroups(ctx)
	return v, err
}

// Observe implements cloud.Balancers. It looks for balancers of both kinds: one of the kind that is not wanted only matters when there is
// no other that is as surely the Service's, or when there was a change of kind. For a balancer that is given up it reads lists, which
// show whether there is a second one too.
func (bs *Balancers) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return bs.observe(ctx, nil, in)
}

// observe looks for the balancer in a bulk list, or in the cloud where that is nil.
func (bs *Balancers) observe(ctx context.Context, from *bulkList, in cloud.Input) (cloud.Observed, error) {
	s, v, err := bs.surroundings(ctx, from, in)
	if err != nil {
		return cloud.Observed{}, err
	}
	if err = bs.find(ctx, s, v, in); err != nil {
		return cloud.Observed{}, err
	}
	s.name = cmp.Or(s.seen().name, balancer.Name(in))
	if !in.Deleting {
		if s.inventory, err = bs.VPC.WithNamed(ctx, s.inventory, s.namedNew(in.Spec)); err != nil {
			return cloud.Observed{}, err
		}
	}
	var o cloud.Observed
	switch {
	case s.classic != nil:
		o, err = bs.Classic.Observe(ctx, s.forClassic(), in)
	case s.network != nil:
		o, err = bs.Network.Observe(ctx, s.forNetwork(), in)
	default:
		o, err = bs.absent(ctx, s, in)
	}
	if err != nil {
		return o, err
	}
	o.Native, o.Findings = native.Seal(s), balancer.Found.Seal(bs.findings(s, in))
	o.ByName = o.Found && s.byName
	if o.Found && balancer.GivenUp(in.Known) {
		o.Duplicates = s.duplicates
		o.Sole = !bs.namedBeside(v, o.ID, in) && (s.network == nil || !bs.Network.Shares(s.forNetwork())) && bs.provesDeletion(s, in.Owner)
	}
	return o, nil
}

// surroundings reads what is read whatever the balancer: security groups, and the network or, where the balancer is given up,
// lists of all balancers.
func (bs *Balancers) surroundings(ctx context.Context, from *bulkList, in cloud.Input) (s *snapshot, v *bulkList, err error) {
	s = &snapshot{readNetwork: func(ctx context.Context) (*vpc.Network, error) {
		return cloud.NetworkOf[*vpc.Network]{Reader: bs}.Of(ctx, in.Environment)
	}}
	network := &vpc.Network{}
	if !balancer.GivenUp(in.Known) {
		if network, err = s.readNetwork(ctx); err != nil {
			return nil, nil, err
		}
	}
	var security vpc.Groups
	if v = from; from != nil {
		security = from.security
	}
	s.inventory, err = bs.VPC.Read(ctx, network, security, in)
	if err == nil && from == nil && balancer.GivenUp(in.Known) {
		v, err = bs.listsOfDeletion(ctx, s.inventory, in)
	}
	return s, v, err
}

// findings returns what Normalize needs to know of the balancer there is and of the surroundings.
func (bs *Balancers) findings(s *snapshot, in cloud.Input) balancer.Findings {
	lb := s.seen()
	found := balancer.Findings{Name: lb.name}
	var subnets []string
	switch {
	case s.classic != nil:
		subnets = s.classic.Subnets
	case s.network != nil:
		subnets, found.Network = s.network.Subnets(), bs.Network.Describe(s.forNetwork(), in.Spec)
	}
	if balancer.GivenUp(in.Known) {
		return found
	}
	if lb.name == "" {
		lb.scope = cloud.ScopeOf(option.Internal.In(in.Options) == "true")
	}
	ids, err := bs.VPC.Choose(s.inventory, in.Spec, lb.scope, subnets)
	if problem, ok := errors.AsType[*cloud.Invalid](err); ok {
		found.SubnetProblem = problem.Want
	}
	found.Subnets, found.GroupProblem = ids, bs.Security.Problem(s.inventory, s.namedNew(in.Spec), in.Owner, s.groupName(in.Owner))
	if !bs.Security.LeaveNodeGroups {
		found.Shut = bs.Security.ShutNodes(s.inventory, in.Candidates)
	}
	_, v6 := s.inventory.Ranges(ids)
	found.IPv6 = len(v6) >= len(ids) && len(ids) > 0
	return found
}

// absent is the observation when there is no balancer. When the Service leaves, what a broken
// deletion left is looked for.
func (bs *Balancers) absent(ctx context.Context, s *snapshot, in cloud.Input) (o cloud.Observed, err error) {
	if err := bs.Network.Targets.ReadUnused(ctx, &s.groups, in); err != nil || !in.Deleting {
		return o, err
	}
	left, err := bs.Resources(ctx, cloud.Change{Input: in, Before: cloud.Observed{Native: native.Seal(s)}})
	o.Orphans = len(left.Present) > 0
	return o, err
}

// ResourceKinds implements cloud.Composite.
func (bs *Balancers) ResourceKinds() []cloud.ResourceKind {
	return slices.Concat(bs.Security.Kinds(), bs.Classic.ResourceKinds(), bs.Network.ResourceKinds())
}

// Resources implements cloud.Composite.
func (bs *Balancers) Resources(ctx context.Context, change cloud.Change) (r cloud.Resources, err error) {
	s := native.Open(change.Before.Native)
	if s == nil {
		return r, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	}
	classic, network := s.forClassic(), s.forNetwork()
	switch after := change.After; {
	case after != nil && (s.classic != nil || s.network == nil && after.ProviderFields[balancer.FieldType] == balancer.KindClassic):
		return bs.Classic.Resources(ctx, classic, change)
	case after != nil:
		return bs.Network.Resources(ctx, network, change)
	}
	return bs.remains(ctx, s, change)
}
