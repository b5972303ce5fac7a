package desired

import (
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

const fieldSourceRanges = "spec.loadBalancerSourceRanges"

// Enforcer says who keeps out clients that are in none of the source ranges:
//
//	provider  Octavia        manage-security-groups  enforced by
//	amphora   2.12 and later –                       the listener, which has allowed CIDRs
//	amphora   before         –                       nobody: nodes see the load balancer, whose own address is open to all
//	ovn       any            yes                     the security group of the nodes, which see the clients
//	ovn       any            no                      nobody
func (r *Rules) Enforcer() cloud.Enforcer {
	switch {
	case r.Can(ableAllowedCIDRs):
		return cloud.EnforcedByBalancer
	case r.Config.Provider == config.ProviderOVN && r.Config.ManageSecurityGroups:
		return cloud.EnforcedByNodes
	}
	return cloud.EnforcedByNobody
}

// checkRanges refuses source ranges that nobody would enforce.
func (r *Rules) checkRanges(in cloud.Input) error {
	if r.Enforcer() != cloud.EnforcedByNobody || !in.Restricts(r.families(in)) {
		return nil
	}
	want := "the balancer would be open to everyone: " + r.unable(ableAllowedCIDRs)
	switch {
	case r.Config.Provider == config.ProviderOVN:
		want += "; manage-security-groups in [LoadBalancer] enforces it"
	case r.Config.ManageSecurityGroups:
		want += ", and with manage-security-groups the nodes see the balancer, not its clients"
	}
	var ranges []string
	for _, p := range in.SourceRanges {
		ranges = append(ranges, p.String())
	}
	return &cloud.Invalid{Field: fieldSourceRanges, Value: strings.Join(ranges, ","), Want: want}
}

// Allowed returns the networks that may connect. The API refuses those of a family the balancer
// has no address of.
//
//	source ranges  families  allowed
//	some           –         those of the families
//	none           one       explicitly everybody, as upstream writes it
//	none           IPv6, of  nothing said: the subnet that the Service names may be one of IPv4
//	                a new
//	                balancer
//	none           both      nothing said: Octavia up to Zed makes rules of the wrong family of
//	                         what is said, and the balancer fails
func (r *Rules) Allowed(in cloud.Input) []string {
	switch list := r.SourceRanges(in); {
	case len(list) > 0:
		return list
	case r.onBoth(in), in.IPv6 && !Found.Open(in.Findings).HasAddress:
		return nil
	}
	return []string{Everyone(OnIPv6(in))}
}

// SourceRanges are the ranges of the families the balancer has. Where all are of the other one
// nobody may connect, not everybody.
func (r *Rules) SourceRanges(in cloud.Input) []string {
	list := r.familiar(in)
	if len(in.SourceRanges) > 0 && len(list) == 0 {
		return []string{nobody(OnIPv6(in))}
	}
	return list
}

// familiar are the source ranges of families that the balancer has an address of, unfamiliar the others.
func (r *Rules) familiar(in cloud.Input) []string { return r.ofFamily(in, true) }

func (r *Rules) unfamiliar(in cloud.Input) []string { return r.ofFamily(in, false) }

func (r *Rules) ofFamily(in cloud.Input, familiar bool) []string {
	var list []string
	for _, p := range in.SourceRanges {
		if (r.onBoth(in) || p.Addr().Is4() != OnIPv6(in)) == familiar {
			list = append(list, p.String())
		}
	}
	slices.Sort(list)
	return list
}

// few names three of many.
func few(all []string) string {
	const most = 3
	text := strings.Join(all[:min(len(all), most)], ", ")
	if more := len(all) - most; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// nobody is a network from which no client comes (RFC 5737, RFC 3849).
func nobody(ipv6 bool) string {
	if ipv6 {
		return "2001:db8::/128"
	}
	return "192.0.2.0/32"
}

// rangeNotes say which source ranges have no effect, and where they have none.
func (r *Rules) rangeNotes(in cloud.Input) []cloud.Warning {
	var list []cloud.Warning
	if left := r.unfamiliar(in); len(left) > 0 {
		list = append(list, cloud.Warning{Field: fieldSourceRanges, Message: "the balancer has no address of the family of " + few(left)})
	}
	if nodes := strings.Join(Found.Open(in.Findings).Unguarded, ", "); nodes != "" && in.Restricts(r.families(in)) {
		list = append(list, cloud.Warning{Field: fieldSourceRanges, Message: "nothing enforces them at these nodes, whose ports have no port security: " + nodes})
	}
	return list
}
