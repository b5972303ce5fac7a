package secgroup

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// wantedRules are the rules the group has to have: each node port, and the health check's, from
// where connections come. The ovn provider keeps clients' addresses.
func (m *Manager) wantedRules(spec cloud.Spec) []object.SecurityGroupRule {
	sources := []string{spec.Lookups[desired.LookupMemberCIDR]}
	if m.Rules.Config.Provider == config.ProviderOVN {
		if sources = desired.SourceRanges(spec); len(sources) == 0 {
			sources = []string{desired.Everyone(spec.IPv6)}
		}
	}
	var rules []object.SecurityGroupRule
	add := func(protocol cloud.Protocol, nodePort int, source string) {
		rule := object.SecurityGroupRule{Direction: "ingress", Ethertype: "IPv4", Protocol: protocol.Lower(), From: nodePort, To: nodePort, Source: source}
		if strings.Contains(source, ":") {
			rule.Ethertype = "IPv6"
		}
		if nodePort != 0 && source != "" && !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	if spec.Local {
		add(cloud.ProtocolTCP, spec.HealthPort, spec.Lookups[desired.LookupMemberCIDR])
	}
	for _, port := range spec.Ports {
		for _, source := range sources {
			add(port.Protocol, port.NodePort, source)
		}
	}
	return rules
}
