package openstack_test

import "github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"

// own is the prefix of the provider's annotations.
const own = "loadbalancer.openstack.org/"

// variations are sample values of all annotations.
func (p *project) variations() map[string]conformance.Variation {
	monitored := map[string]string{own + "enable-health-monitor": "true"}
	taken := conformance.Variation{Skip: "it says where a floating IP is taken from, which the balancer's fields do not show: see test/e2e/openstack"}
	return map[string]conformance.Variation{
		"multicloud-ccm.io/internal":       {Value: "true"},
		"multicloud-ccm.io/proxy-protocol": {Value: "true"},

		own + "class":                {Value: "other"},
		own + "floating-network-id":  taken,
		own + "floating-subnet-id":   taken,
		own + "floating-subnet":      taken,
		own + "floating-subnet-tags": taken,
		own + "keep-floatingip":      {Skip: "it is about what is left of a balancer"},
		own + "port-id":              {Value: p.port},
		own + "subnet-id":            {Value: p.otherSubnet},
		own + "network-id":           {Value: p.otherNetwork},
		own + "member-subnet-id":     {Skip: "it is about new members only"},
		own + "flavor-id":            {Value: p.flavor},
		own + "availability-zone":    {Value: p.zone},

		own + "lb-method":                 {Value: "LEAST_CONNECTIONS"},
		own + "x-forwarded-for":           {Value: "true"},
		own + "default-tls-container-ref": {Value: p.container},
		own + "connection-limit":          {Value: "77"},
		own + "timeout-client-data":       {Value: "60000"},
		own + "timeout-member-connect":    {Value: "6000"},
		own + "timeout-member-data":       {Value: "60000"},
		own + "timeout-tcp-inspect":       {Value: "100"},

		own + "enable-health-monitor":           {Value: "true"},
		own + "health-monitor-delay":            {Value: "9", With: monitored},
		own + "health-monitor-timeout":          {Value: "4", With: monitored},
		own + "health-monitor-max-retries":      {Value: "4", With: monitored},
		own + "health-monitor-max-retries-down": {Value: "5", With: monitored},
	}
}
