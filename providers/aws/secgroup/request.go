package secgroup

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// The kinds of resources of both kinds of load balancers that have to do with security groups.
const (
	KindTags  = "security group tags"
	KindGroup = "security group"
	KindRule  = packetfilter.KindRule
)

// fieldTags are the tags that a security group is made with, or gets.
var fieldTags = cloud.NewField[map[string]string]("Tags")

// Kinds returns them in the order in which they are made.
func (gs *Groups) Kinds() []cloud.ResourceKind {
	rules := gs.ruleKind()
	groups := cloud.ResourceKind{
		Name: KindGroup,
		Delete: func(ctx context.Context, present cloud.Resource) error {
			_, err := gs.Client.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: &present.ID})
			return failure.UnlessInUse(err)
		},
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			n := nativeName.Open(wanted.Native)
			made, err := gs.Client.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{
				GroupName: &n.Name, Description: &n.Description, VpcId: &gs.Cluster.VPC,
				TagSpecifications: []ec2types.TagSpecification{{ResourceType: ec2types.ResourceTypeSecurityGroup, Tags: tag.List(fieldTags.Of(wanted))}},
			})
			switch {
			case failure.Is(err, "InvalidGroup.Duplicate"):
				// Nothing of ours is in its place, unless another process has just made it.
				if _, exists, err := gs.findGroup(ctx, &vpc.Inventory{}, n); exists || err != nil {
					appeared := errors.New("another request has made it just now")
					return "", errors.Join(err, &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureConflict}, Op: "creating security group " + n.Name, Err: appeared})
				}
				return "", &cloud.Invalid{
					Field: option.Groups.Name, Value: "",
					Want: fmt.Sprintf("the balancer needs a security group of its own with the name %s, and VPC %s has one of that name with another description, so it is not ours: delete it, or name groups here", n.Name, gs.Cluster.VPC),
				}
			case err != nil:
				return "", err
			case made.GroupId == nil:
				return "", cloud.ErrIncomplete
			}
			return *made.GroupId, nil
		},
	}
	tags := tag.Kind(KindTags, func(ctx context.Context, ids []string, add map[string]string, _ []string) error {
		_, err := gs.Client.CreateTags(ctx, &ec2.CreateTagsInput{Resources: ids, Tags: tag.List(add)})
		return err
	})
	return []cloud.ResourceKind{tags, groups, rules}
}

// ruleKind are the rules of a security group, of which nothing but the description can change.
func (gs *Groups) ruleKind() cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: KindRule, Together: packetfilter.FieldGroup,
		// Some may be there: EC2 refuses all for one of them.
		Add: func(ctx context.Context, wanted []cloud.Resource) error {
			group, rules := rulesOf(wanted)
			return eachRule("opening security group "+group, rules, "InvalidPermission.Duplicate", func(permissions []ec2types.IpPermission) error {
				_, err := gs.Client.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &group, IpPermissions: permissions})
				return err
			})
		},
		// Whatever their descriptions say. Some may be gone, or the group.
		Remove: func(ctx context.Context, present []cloud.Resource) error {
			group, rules := rulesOf(present)
			for r := range rules {
				rules[r] = packetfilter.Attributes{}
			}
			return failure.UnlessGone(eachRule("closing security group "+group, rules, "InvalidPermission.NotFound", func(permissions []ec2types.IpPermission) error {
				_, err := gs.Client.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: &group, IpPermissions: permissions})
				return err
			}))
		},
		Update: func(ctx context.Context, _, wanted cloud.Resource, _ []string) error {
			group, rules := rulesOf([]cloud.Resource{wanted})
			input := &ec2.UpdateSecurityGroupRuleDescriptionsIngressInput{GroupId: &group}
			for r, attributes := range rules {
				input.IpPermissions = append(input.IpPermissions, Permission(r, attributes.Description))
			}
			if _, err := gs.Client.UpdateSecurityGroupRuleDescriptionsIngress(ctx, input); err != nil {
				return fmt.Errorf("describing rules of security group %s: %w", group, err)
			}
			return nil
		},
	}
}

// rulesOf returns rules of one security group by what is sent.
func rulesOf(list []cloud.Resource) (group string, rules packetfilter.Rules) {
	rules = packetfilter.Rules{}
	for _, one := range list {
		id, r, description := packetfilter.Of(one)
		group = id
		rules.Add(r, description)
	}
	return group, rules
}

// eachRule makes one call for all rules, and one for each when that fails with the code, which
// then is no error.
func eachRule(action string, rs packetfilter.Rules, tolerated string, call func([]ec2types.IpPermission) error) error {
	var all []ec2types.IpPermission
	for _, r := range rs.Sorted() {
		all = append(all, Permission(r, rs[r].Description))
	}
	err := call(all)
	if failure.Is(err, tolerated) {
		for i := range all {
			if err = call(all[i : i+1]); err != nil && !failure.Is(err, tolerated) {
				break
			}
		}
	}
	if err == nil || failure.Is(err, tolerated) {
		return nil
	}
	return fmt.Errorf("%s: %w", action, err)
}

// protocol is the name or number of a protocol as EC2 takes it: it has no name for SCTP (API reference, IpPermission).
func protocol(p cloud.Protocol) string {
	if p == cloud.ProtocolSCTP {
		return "132"
	}
	return p.Lower()
}

// Permission returns a rule as EC2 takes it. Its -1 is all protocols.
func Permission(r packetfilter.Rule, description string) ec2types.IpPermission {
	p := ec2types.IpPermission{IpProtocol: aws.String("-1")}
	if r.Protocol != cloud.ProtocolAll {
		p.IpProtocol, p.FromPort, p.ToPort = aws.String(protocol(r.Protocol)), aws.Int32(int32(r.From)), aws.Int32(int32(r.To)) //nolint:gosec // ports
	}
	var words *string
	if description != "" {
		words = &description
	}
	switch {
	case r.Peer.Group != "":
		p.UserIdGroupPairs = []ec2types.UserIdGroupPair{{GroupId: &r.Peer.Group, Description: words}}
	case r.Peer.List != "":
		p.PrefixListIds = []ec2types.PrefixListId{{PrefixListId: &r.Peer.List, Description: words}}
	case r.Peer.IsIPv6():
		p.Ipv6Ranges = []ec2types.Ipv6Range{{CidrIpv6: &r.Peer.Network, Description: words}}
	default:
		p.IpRanges = []ec2types.IpRange{{CidrIp: &r.Peer.Network, Description: words}}
	}
	return p
}
