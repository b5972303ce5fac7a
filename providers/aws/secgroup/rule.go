package secgroup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// Rule lets traffic into a security group. EC2 tells rules apart by just these fields: there
// can't be a second one with another description.
type Rule struct {
	Protocol string // "tcp", "udp", "icmp", "icmpv6" or allProtocols
	// From and to are ports, type and code with ICMP, and -1 with allProtocols.
	From, to int32
	// Source is a network, or the id of a security group or prefix list.
	Source string
}

// Rules are the ingress rules of a security group with their descriptions.
type Rules map[Rule]string

const allProtocols = "-1"

// All lets in everything from a security group.
func All(group string) Rule { return Rule{allProtocols, -1, -1, group} }

// Port lets in what comes from a source to a port.
func Port(protocol string, port int, source string) Rule {
	return Rule{protocol, int32(port), int32(port), source} //nolint:gosec // a port
}

// Fragmentation lets in what routers say of packets that are too large (RFC 1191, RFC 8201).
func Fragmentation(source string) Rule {
	if isIPv6(source) {
		return Rule{"icmpv6", 2, 0, source}
	}
	return Rule{"icmp", 3, 4, source}
}

// isIPv6 reports whether a network or address is one of IPv6.
func isIPv6(source string) bool { return strings.Contains(source, ":") }

// String returns the rule for people: "tcp/80 from 0.0.0.0/0".
func (r Rule) String() string {
	switch {
	case r.Protocol == allProtocols:
		return "all from " + r.Source
	case r.From == r.to:
		return fmt.Sprintf("%s/%d from %s", r.Protocol, r.From, r.Source)
	}
	return fmt.Sprintf("%s/%d-%d from %s", r.Protocol, r.From, r.to, r.Source)
}

func (r Rule) compare(o Rule) int {
	return cmp.Or(cmp.Compare(r.Protocol, o.Protocol), cmp.Compare(r.From, o.From), cmp.Compare(r.to, o.to), cmp.Compare(r.Source, o.Source))
}

// Sorted returns the rules in a fixed order.
func (rs Rules) Sorted() []Rule { return slices.SortedFunc(maps.Keys(rs), Rule.compare) }

// Without returns the rules that other does not have.
func (rs Rules) Without(other Rules) Rules {
	left := maps.Clone(rs)
	maps.DeleteFunc(left, func(r Rule, _ string) bool { _, has := other[r]; return has })
	return left
}

// Sources are the networks that any of the rules lets in, sorted.
func (rs Rules) Sources() []string {
	var list []string
	for r := range rs {
		list = append(list, r.Source)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Lets reports whether a rule with such a description lets the source in.
func (rs Rules) Lets(source string, fits func(description string) bool) bool {
	for r, description := range rs {
		if r.Source == source && fits(description) {
			return true
		}
	}
	return false
}

// Ingress returns the rules of a security group.
func Ingress(g ec2types.SecurityGroup) Rules {
	rs := Rules{}
	for _, p := range g.IpPermissions {
		r := Rule{Protocol: aws.ToString(p.IpProtocol), From: -1, to: -1}
		if r.Protocol != allProtocols {
			r.From, r.to = aws.ToInt32(p.FromPort), aws.ToInt32(p.ToPort)
		}
		add := func(source, description *string) {
			r.Source = aws.ToString(source)
			rs[r] = aws.ToString(description)
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
