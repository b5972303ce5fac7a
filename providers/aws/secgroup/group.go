// Package secgroup keeps the security groups of balancers and of the nodes behind them.
package secgroup

import (
	"context"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Groups reads and writes security groups.
type Groups struct {
	Cluster tag.Cluster
	// ClusterName is a part of the names of network balancers' groups.
	ClusterName string
	// LeaveNodeGroups says that the security groups of nodes are not ours to change.
	LeaveNodeGroups bool
	Client          *ec2.Client
}

// KeepOwn adds a balancer's own security group as it is and as it has to be. It looks for it among
// those without the cluster's tag too. A group of that name which is not this Service's is refused like one that
// cannot be made, so that what does not refer to it goes on; nothing of it changes.
func (gs *Groups) KeepOwn(ctx context.Context, r *cloud.Resources, inv *vpc.Inventory, n Name, spec cloud.Spec, rules packetfilter.Rules) (cloud.Resource, error) {
	g, exists, err := gs.findGroup(ctx, inv, n)
	own := cloud.Resource{Kind: KindGroup, Key: n.Name, ID: aws.ToString(g.GroupId), Native: nativeName.Seal(n), Fields: cloud.FieldsOf(fieldTags.Is(gs.Cluster.GroupTags(spec)))}
	switch whose := gs.whose(g, spec.Owner, n); {
	case err != nil:
		return own, err
	case !exists:
	case whose == ownership.Ours:
		r.Present = append(r.Present, own)
		if have := tag.Of(g.Tags); len(gs.outdated(have, spec.Owner)) > 0 {
			tag.AddWanted(r, cloud.Resource{Kind: KindTags, Key: own.Key, Native: tag.NativeIDs.Seal([]string{own.ID})}, have, gs.outdated(have, spec.Owner))
		}
	case whose == ownership.Nobody:
		own.Problem = &cloud.Invalid{Field: option.Groups.Name, Value: option.Groups.In(spec.Options), Want: fmt.Sprintf("other security groups, or delete %s (%s): it is shared, or made for no Service that its tags name", own.ID, n.Name)}
	default:
		own.Problem = &cloud.Invalid{Field: option.Name.Name, Value: option.Name.In(spec.Options), Want: fmt.Sprintf("another name for the balancer: security group %s (%s) is %s", own.ID, n.Name, whose)}
	}
	r.Wanted = append(r.Wanted, own)
	packetfilter.AddOwn(r, own, Ingress(g), rules)
	return own, nil
}

// outdated are the tags that a group of the Service lacks, or that name a former id of the cluster.
func (gs *Groups) outdated(have map[string]string, us cloud.Owner) map[string]string {
	wanted := map[string]string{}
	if !gs.Cluster.Owns(have) {
		maps.Copy(wanted, gs.Cluster.Tags())
	}
	if named := tag.OwnershipTags.Owner(have).Cluster; named != us.Cluster && us.HasCluster(named) {
		maps.Copy(wanted, tag.OwnershipTags.Cluster(us.Cluster))
	}
	return wanted
}

// findGroup looks for the group also among those without the cluster's tag.
func (gs *Groups) findGroup(ctx context.Context, inv *vpc.Inventory, n Name) (ec2types.SecurityGroup, bool, error) {
	if g, known := n.In(inv); known {
		return g, true, nil
	}
	answer, err := gs.Client.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{filter.InVPC(gs.Cluster), filter.By("group-name", n.Name)}})
	if err != nil {
		return ec2types.SecurityGroup{}, false, fmt.Errorf("looking for security group %s: %w", n.Name, err)
	}
	for _, g := range answer.SecurityGroups {
		if n.fits(g) {
			return g, true, nil
		}
	}
	return ec2types.SecurityGroup{}, false, nil
}

// DropOwn adds security groups of ours that go, and the rules of other groups that refer to them.
func (gs *Groups) DropOwn(r *cloud.Resources, inv *vpc.Inventory, groups ...ec2types.SecurityGroup) {
	for _, g := range groups {
		own := cloud.Resource{Kind: KindGroup, Key: aws.ToString(g.GroupName), ID: aws.ToString(g.GroupId)}
		r.Present = append(r.Present, own)
		packetfilter.AddReferring(r, rulesIn(inv), own)
	}
}

// OpensForNamed reports whether any security group lets in everything from another one that is not a classic balancer's own.
// So upstream opens nodes for a classic balancer with a security group that its Service names, other than the nodes' own one: groups
// that let themselves in are in most clusters.
func OpensForNamed(inv *vpc.Inventory) bool {
	for id, group := range inv.Groups {
		for r := range Ingress(group) {
			if peer := r.Peer.Group; r == packetfilter.All(r.Peer) && peer != "" && peer != id && !IsOfClassic(inv.Groups[peer]) {
				return true
			}
		}
	}
	return false
}
