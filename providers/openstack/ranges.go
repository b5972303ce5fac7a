package openstack

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// SourceRanges says who enforces source ranges, with each provider of Octavia, before and since listeners have allowed CIDRs. A balancer
// has an address of either family, or of both.
func SourceRanges() []cloud.Enforcement {
	since := desired.AllowedCIDRsSince()
	var all []cloud.Enforcement
	for _, provider := range []string{"amphora", config.ProviderOVN} {
		for _, octavia := range []struct {
			text    string
			version api.Version
		}{{"since " + since.String(), since}, {"before " + since.String(), api.V(since.Major, since.Minor-1)}} {
			for _, groups := range []bool{false, true} {
				text := "provider `" + provider + "`, Octavia " + octavia.text
				if groups {
					text += ", `manage-security-groups`"
				}
				rules := desired.New(config.Balancer{Provider: provider, ManageSecurityGroups: groups}, nil, tag.Ownership{}, octavia.version)
				all = append(all, cloud.Enforcement{Balancer: text, By: rules.Enforcer(), Clients: cloud.Families{IPv4: true, IPv6: true}})
			}
		}
	}
	return all
}
