package cloud

import (
	"net/netip"
	"slices"
	"strings"
)

// Families are address families.
type Families struct{ IPv4, IPv6 bool }

// String names the families as Services do: "IPv4, IPv6".
func (f Families) String() string {
	var names []string
	if f.IPv4 {
		names = append(names, "IPv4")
	}
	if f.IPv6 {
		names = append(names, "IPv6")
	}
	return strings.Join(names, ", ")
}

// Without returns the families that are not among others.
func (f Families) Without(others Families) Families {
	return Families{IPv4: f.IPv4 && !others.IPv4, IPv6: f.IPv6 && !others.IPv6}
}

// Families are those of the Service: its nodes answer in no other one.
func (s Spec) Families() Families {
	return Families{IPv4: s.DualStack || !s.IPv6, IPv6: s.DualStack || s.IPv6}
}

// Restricts reports whether the source ranges keep any client of these families out, so that there is something to enforce. A
// range of length 0 lets in its own family only.
func (s Spec) Restricts(f Families) bool {
	if len(s.SourceRanges) == 0 {
		return false
	}
	admits := func(all netip.Addr) bool { return slices.Contains(s.SourceRanges, netip.PrefixFrom(all, 0)) }
	return f.IPv4 && !admits(netip.IPv4Unspecified()) || f.IPv6 && !admits(netip.IPv6Unspecified())
}

// Enforcer is who keeps out clients that are in none of the source ranges of a Service.
type Enforcer string

// Enforcers. Where nobody enforces source ranges a Service that has some is refused.
const (
	EnforcedByNobody   Enforcer = ""
	EnforcedByBalancer Enforcer = "the load balancer"
	EnforcedByGroup    Enforcer = "the security group of the load balancer"
	EnforcedByNodes    Enforcer = "the security groups of the nodes"
	// EnforcedByFirewall is both the balancer and what is in front of the nodes.
	EnforcedByFirewall Enforcer = "the load balancer, and the firewall of the nodes"
	// EnforcedByUser is whoever manages security groups that are not ours: an event says so.
	EnforcedByUser Enforcer = "whoever manages the security groups; an event says so"
)

// Enforcement says, for the documentation, who enforces source ranges on a kind of load balancers, and which families it has addresses of.
type Enforcement struct {
	Balancer string
	By       Enforcer
	Clients  Families
}

// Reach is for load balancers that do not all reach machines at IPv4 addresses, or are not reached at IPv4
// addresses alone, with Balancer.DualStack at IPv6 ones too.
type Reach interface {
	// Families says in which families clients reach a balancer that was normalised from this input, and in which it reaches
	// its targets. It is pure.
	Families(in Input, b Balancer) (clients, targets Families)
}
