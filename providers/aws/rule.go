package aws

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// rule lets traffic into a security group. EC2 tells rules apart by just these fields: there
// can't be a second one with another description.
type rule struct {
	protocol string // "tcp", "udp", "icmp", "icmpv6" or allProtocols
	// from and to are ports, type and code with ICMP, and -1 with allProtocols.
	from, to int32
	// source is a network, or the id of a security group or prefix list.
	source string
}

// rules are the ingress rules of a security group with their descriptions.
type rules map[rule]string

const allProtocols = "-1"

// fragmentation lets in what routers say of packets that are too large (RFC 1191, RFC 8201).
func fragmentation(source string) rule {
	if isIPv6(source) {
		return rule{"icmpv6", 2, 0, source}
	}
	return rule{"icmp", 3, 4, source}
}

func isIPv6(source string) bool { return strings.Contains(source, ":") }

// String returns the rule for people: "tcp/80 from 0.0.0.0/0".
func (r rule) String() string {
	switch {
	case r.protocol == allProtocols:
		return "all from " + r.source
	case r.from == r.to:
		return fmt.Sprintf("%s/%d from %s", r.protocol, r.from, r.source)
	}
	return fmt.Sprintf("%s/%d-%d from %s", r.protocol, r.from, r.to, r.source)
}

func (r rule) compare(o rule) int {
	return cmp.Or(cmp.Compare(r.protocol, o.protocol), cmp.Compare(r.from, o.from), cmp.Compare(r.to, o.to), cmp.Compare(r.source, o.source))
}

// sorted returns the rules in a fixed order.
func (rs rules) sorted() []rule { return slices.SortedFunc(maps.Keys(rs), rule.compare) }

// without returns the rules that other does not have.
func (rs rules) without(other rules) rules {
	left := maps.Clone(rs)
	maps.DeleteFunc(left, func(r rule, _ string) bool { _, has := other[r]; return has })
	return left
}

// drift says in words how rules differ from what is wanted, "" when they do not.
func (rs rules) drift(wanted rules) string {
	var parts []string
	for _, r := range wanted.without(rs).sorted() {
		parts = append(parts, "lacks "+r.String())
	}
	for _, r := range rs.without(wanted).sorted() {
		parts = append(parts, "has "+r.String())
	}
	return strings.Join(parts, ", ")
}

// sources are the networks that any of the rules lets in, sorted.
func (rs rules) sources() []string {
	var list []string
	for r := range rs {
		list = append(list, r.source)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ingress returns the rules of a security group.
func ingress(g ec2types.SecurityGroup) rules {
	rs := rules{}
	for _, p := range g.IpPermissions {
		r := rule{protocol: awssdk.ToString(p.IpProtocol), from: -1, to: -1}
		if r.protocol != allProtocols {
			r.from, r.to = awssdk.ToInt32(p.FromPort), awssdk.ToInt32(p.ToPort)
		}
		add := func(source, description *string) {
			r.source = awssdk.ToString(source)
			rs[r] = awssdk.ToString(description)
		}
		for _, s := range p.IpRanges {
			add(s.CidrIp, s.Description)
		}
		for _, s := range p.Ipv6Ranges {
			add(s.CidrIpv6, s.Description)
		}
		for _, s := range p.PrefixListIds {
			add(s.PrefixListId, s.Description)
		}
		for _, s := range p.UserIdGroupPairs {
			add(s.GroupId, s.Description)
		}
	}
	return rs
}

// permission returns the rule as EC2 takes it.
func (r rule) permission(description string) ec2types.IpPermission {
	p := ec2types.IpPermission{IpProtocol: &r.protocol}
	if r.protocol != allProtocols {
		p.FromPort, p.ToPort = &r.from, &r.to
	}
	var words *string
	if description != "" {
		words = &description
	}
	switch {
	case strings.HasPrefix(r.source, "sg-"):
		p.UserIdGroupPairs = []ec2types.UserIdGroupPair{{GroupId: &r.source, Description: words}}
	case strings.HasPrefix(r.source, "pl-"):
		p.PrefixListIds = []ec2types.PrefixListId{{PrefixListId: &r.source, Description: words}}
	case isIPv6(r.source):
		p.Ipv6Ranges = []ec2types.Ipv6Range{{CidrIpv6: &r.source, Description: words}}
	default:
		p.IpRanges = []ec2types.IpRange{{CidrIp: &r.source, Description: words}}
	}
	return p
}

// Error codes of rules.
const (
	codeRuleExists  = "InvalidPermission.Duplicate"
	codeRuleMissing = "InvalidPermission.NotFound"
)

// authorize adds rules to a security group. Some may be there: EC2 refuses all for one of them.
func (d *Driver) authorize(ctx context.Context, group string, wanted rules) error {
	return eachRule(wanted, codeRuleExists, func(permissions []ec2types.IpPermission) error {
		_, err := d.Compute.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &group, IpPermissions: permissions})
		return failure.Wrap(err, "opening security group "+group)
	})
}

// revoke removes rules from a security group. Some may be gone, or the group.
func (d *Driver) revoke(ctx context.Context, group string, surplus rules) error {
	err := eachRule(surplus, codeRuleMissing, func(permissions []ec2types.IpPermission) error {
		for i := range permissions {
			permissions[i] = undescribed(permissions[i])
		}
		_, err := d.Compute.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: &group, IpPermissions: permissions})
		return failure.Wrap(err, "closing security group "+group)
	})
	if failure.Classify(err).Class == cloud.FailureNotFound {
		return nil
	}
	return err
}

// eachRule makes one call for all rules, and one for each when that fails with the code, which
// then is no error.
func eachRule(rs rules, tolerated string, call func([]ec2types.IpPermission) error) error {
	var all []ec2types.IpPermission
	for _, r := range rs.sorted() {
		all = append(all, r.permission(rs[r]))
	}
	if len(all) == 0 {
		return nil
	}
	err := call(all)
	if !failure.Is(err, tolerated) {
		return err
	}
	for i := range all {
		if err := call(all[i : i+1]); err != nil && !failure.Is(err, tolerated) {
			return err
		}
	}
	return nil
}

// undescribed returns the permission without descriptions: a rule is removed whatever its own says.
func undescribed(p ec2types.IpPermission) ec2types.IpPermission {
	for i := range p.IpRanges {
		p.IpRanges[i].Description = nil
	}
	for i := range p.Ipv6Ranges {
		p.Ipv6Ranges[i].Description = nil
	}
	for i := range p.PrefixListIds {
		p.PrefixListIds[i].Description = nil
	}
	for i := range p.UserIdGroupPairs {
		p.UserIdGroupPairs[i].Description = nil
	}
	return p
}

// describe changes the descriptions of rules.
func (d *Driver) describe(ctx context.Context, group string, changed rules) error {
	if len(changed) == 0 {
		return nil
	}
	input := &ec2.UpdateSecurityGroupRuleDescriptionsIngressInput{GroupId: &group}
	for _, r := range changed.sorted() {
		input.IpPermissions = append(input.IpPermissions, r.permission(changed[r]))
	}
	_, err := d.Compute.UpdateSecurityGroupRuleDescriptionsIngress(ctx, input)
	return failure.Wrap(err, "describing rules of security group "+group)
}
