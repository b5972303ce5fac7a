// Package targetgroup reads and writes the target groups of Network Load Balancers, with what is registered in them.
package targetgroup

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Group is a target group with what is in it.
type Group struct {
	types.TargetGroup
	Tags       map[string]string
	Attributes map[string]string
	// Targets are the ids registered and not on their way out: of instances, or addresses.
	Targets []string
	// serves says that one of them is healthy.
	serves bool
}

// Set is what was read of the target groups of one Service.
type Set struct {
	// Listed are all target groups there are, where there may be one of the Service.
	Listed []Group
	// Unused are those of the Service that no listener leads to.
	Unused []Group
	// taken are the names of all target groups there are.
	taken map[string]bool
	// Alive are the ARNs of all network balancers, nil where they were not listed.
	Alive map[string]bool
}

// IsMade reports whether a group behind a balancer of ours was made for it, by upstream or us, and
// is none of the user's.
func (gs *Groups) IsMade(g Group) bool {
	return g.TargetGroupArn != nil && g.isChild() && gs.Cluster.Has(g.Tags)
}

// isChild reports whether the name of the group is one that upstream and we give.
func (g Group) isChild() bool {
	return strings.HasPrefix(aws.ToString(g.TargetGroupName), tag.ChildPrefix)
}

// Ref stands for the target group.
func (g Group) Ref() cloud.IDOf {
	return cloud.IDOf{Kind: kindTargetGroup, Key: aws.ToString(g.TargetGroupName)}
}

// Checking are the ARNs of the balancers of which a target group has its health check on the rule's port.
func Checking(groups []Group, r packetfilter.Rule) (balancers []string) {
	for _, g := range groups {
		port := aws.ToString(g.HealthCheckPort)
		if port == option.TrafficPort {
			port = strconv.Itoa(int(aws.ToInt32(g.Port)))
		}
		if r.Protocol == cloud.ProtocolTCP && port == strconv.Itoa(r.From) {
			balancers = append(balancers, g.LoadBalancerArns...)
		}
	}
	return balancers
}
