// Package nlb reads and writes Network Load Balancers and their listeners.
package nlb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Balancers reads and writes Network Load Balancers.
type Balancers struct {
	desired.Settings
	Client    *sdk.Client
	Addresses *ec2.Client
	Security  *secgroup.Groups
	Targets   *targetgroup.Groups
}

// Snapshot is what was read of a Service's network balancer and of what surrounds it.
type Snapshot struct {
	// Inventory has no network where the balancer is given up. Network reads it.
	Inventory *vpc.Inventory
	Network   func(context.Context) (*vpc.Network, error)
	// Name is the balancer's name, where there is none the one it would have.
	Name string
	// Balancer is nil where there is none yet.
	Balancer *Balancer
	Groups   *targetgroup.Set
}

// Balancer is a Network Load Balancer and all that belongs to it.
type Balancer struct {
	types.LoadBalancer
	Tags       map[string]string
	attributes map[string]string
	listeners  []Listener
	// groups are the target groups behind it.
	groups []targetgroup.Group
}

// Listener is a listener with the target group it leads to.
type Listener struct {
	types.Listener
	// extra are the certificates besides the default one, sorted.
	extra []string
	group targetgroup.Group
	// idle is its idle timeout in seconds, "" where nobody asked for it.
	idle string
}

// Limits of one request.
const (
	pageSize = 400 // of DescribeLoadBalancers and DescribeTargetGroups
	tagBatch = 20  // ARNs of one DescribeTags
)

// Find returns the balancer with that name or ARN, without its tags, nil when there is none.
func (n *Balancers) Find(ctx context.Context, id string) (*Balancer, error) {
	found, _, err := n.describe(ctx, id)
	if err != nil || len(found) == 0 {
		return nil, failure.UnlessGone(err)
	}
	return &found[0], nil
}

// List returns all network balancers of the VPC, the names of all load balancers of the region but classic ones, and
// all target groups. The balancers have their tags, and so have target groups, see targetgroup.Groups.List: of those that listeners
// lead to the ones whose names begin like that, for "" those behind a balancer of the VPC that the AWS Load Balancer Controller
// has not made. Its tags show that.
func (n *Balancers) List(ctx context.Context, beginning string) (list []Balancer, names []string, groups []targetgroup.Group, err error) {
	if list, names, err = n.describe(ctx, ""); err != nil {
		return nil, nil, nil, err
	}
	var arns []string
	for _, lb := range list {
		arns = append(arns, aws.ToString(lb.LoadBalancerArn))
	}
	chosen := func(g targetgroup.Group) bool { return strings.HasPrefix(aws.ToString(g.TargetGroupName), beginning) }
	tags := map[string]map[string]string{}
	if beginning == "" {
		if tags, err = n.Targets.Tags(ctx, arns); err != nil {
			return nil, nil, nil, err
		}
		arns = nil
		chosen = func(g targetgroup.Group) bool {
			return slices.ContainsFunc(g.LoadBalancerArns, func(arn string) bool { return tags[arn] != nil && tags[arn][tag.Controller] == "" })
		}
	}
	groups, more, err := n.Targets.List(ctx, chosen, arns...)
	maps.Copy(tags, more)
	for i, lb := range list {
		list[i].Tags = tags[aws.ToString(lb.LoadBalancerArn)]
	}
	return list, names, groups, err
}

// describe returns the network balancer of the VPC with that name or ARN, all for "", and the names of all load
// balancers that were read.
func (n *Balancers) describe(ctx context.Context, id string) (list []Balancer, names []string, err error) {
	input := &sdk.DescribeLoadBalancersInput{}
	switch {
	case id == "":
		input.PageSize = aws.Int32(pageSize)
	case strings.HasPrefix(id, "arn:"):
		input.LoadBalancerArns = []string{id}
	default:
		input.Names = []string{id}
	}
	found, err := filter.All(func(page *string) (*sdk.DescribeLoadBalancersOutput, error) {
		input.Marker = page
		return n.Client.DescribeLoadBalancers(ctx, input)
	}, func(o *sdk.DescribeLoadBalancersOutput) ([]types.LoadBalancer, *string) {
		return o.LoadBalancers, o.NextMarker
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading the network load balancers: %w", err)
	}
	for _, lb := range found {
		names = append(names, aws.ToString(lb.LoadBalancerName))
		if lb.Type == types.LoadBalancerTypeEnumNetwork && aws.ToString(lb.VpcId) == n.Cluster.VPC {
			list = append(list, Balancer{LoadBalancer: lb})
		}
	}
	return list, names, nil
}

// Subnets are the ids of its subnets, sorted.
func (lb *Balancer) Subnets() []string {
	var ids []string
	for _, zone := range lb.AvailabilityZones {
		ids = append(ids, aws.ToString(zone.SubnetId))
	}
	slices.Sort(ids)
	return ids
}

// Scope says who can reach the balancer.
func (lb *Balancer) Scope() cloud.Scope {
	return cloud.ScopeOf(lb.Scheme == types.LoadBalancerSchemeEnumInternal)
}

func (lb *Balancer) dualStack() bool {
	return lb.IpAddressType == types.IpAddressTypeDualstack
}

// addressOf returns the address that was asked for in a subnet: an allocation id or a private
// address, "" when AWS chose.
func (lb *Balancer) addressOf(subnet string) string {
	for _, zone := range lb.AvailabilityZones {
		if aws.ToString(zone.SubnetId) != subnet {
			continue
		}
		for _, address := range zone.LoadBalancerAddresses {
			if id := aws.ToString(address.AllocationId); id != "" {
				return id
			}
			if ip := aws.ToString(address.PrivateIPv4Address); ip != "" {
				return ip
			}
		}
	}
	return ""
}
