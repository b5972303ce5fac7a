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

// Reaching is implemented by Balancers whose load balancers do not all reach machines at IPv4 addresses, or are not reached at IPv4
// addresses alone, with Balancer.DualStack at IPv6 ones too.
type Reaching interface {
	// Families says in which families clients reach a balancer that was normalised from this input, and in which it reaches
	// its targets. It is pure.
	Families(in Input, b Balancer) (clients, targets Families)
}
