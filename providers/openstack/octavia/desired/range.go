package desired

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Allowed returns the networks that may connect. The API refuses those of a family the balancer
// has no address of.
//
//	source ranges  families  allowed
//	some           –         those of the families
//	none           one       explicitly everybody, as upstream writes it
//	none           both      nothing said: Octavia up to Zed makes rules of the wrong family of
//	                         what is said, and the balancer fails
func Allowed(in cloud.Input) []string {
	switch list := SourceRanges(in); {
	case len(list) > 0:
		return list
	case onBoth(in):
		return nil
	}
	return []string{Everyone(OnIPv6(in))}
}

// SourceRanges are the ranges of the families the balancer has. Where all are of the other one
// nobody may connect, not everybody.
func SourceRanges(in cloud.Input) []string {
	list := familiar(in)
	if len(in.SourceRanges) > 0 && len(list) == 0 {
		return []string{nobody(OnIPv6(in))}
	}
	return list
}

func familiar(in cloud.Input) []string {
	var list []string
	for _, p := range in.SourceRanges {
		if onBoth(in) || p.Addr().Is4() != OnIPv6(in) {
			list = append(list, p.String())
		}
	}
	slices.Sort(list)
	return list
}

// nobody is a network from which no client comes (RFC 5737, RFC 3849).
func nobody(ipv6 bool) string {
	if ipv6 {
		return "2001:db8::/128"
	}
	return "192.0.2.0/32"
}
