package option

import (
	"net/netip"
	"slices"
	"strings"
)

// AccessRule returns one rule of who may connect, "ip:<address>" or "cidr:<network>", in the form in which all rules are compared.
func AccessRule(rule string) (canonical string, ok bool) {
	kind, value, _ := strings.Cut(strings.TrimSpace(rule), ":")
	switch kind {
	case "ip":
		address, err := netip.ParseAddr(strings.TrimSpace(value))
		return "ip:" + address.String(), err == nil && address.Zone() == ""
	case "cidr":
		prefix, err := netip.ParsePrefix(strings.TrimSpace(value))
		return NetworkRule(prefix), err == nil
	}
	return "", false
}

// NetworkRule is an access rule for a network.
func NetworkRule(prefix netip.Prefix) string { return "cidr:" + prefix.Masked().String() }

// CanonicalRules returns access rules as annotations have them; what these never have stays.
func CanonicalRules(rules []string) []string {
	var list []string
	for _, rule := range rules {
		if canonical, ok := AccessRule(rule); ok {
			rule = canonical
		}
		list = append(list, rule)
	}
	slices.Sort(list)
	return list
}
