package openstack_test

import "github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"

// own is the prefix of the provider's annotations.
const own = "loadbalancer.openstack.org/"

// variations are sample values of all annotations.
func (p *project) variations() map[string]conformance.Variation {
	monitored := map[string]string{own + "enable-health-monitor": "true"}
	taken := conformance.Variation{Skip: "it says where a floating IP is taken from, which the balancer's fields do not show: see test/e2e/openstack"}
	return map[string]conformance.Variation{
		"multicloud-ccm.io/tls-ports":             {Skip: "the Service has one port here: see test/conformance/portable"},
		"multicloud-ccm.io/idle-timeout":          {Value: "60"},
		"multicloud-ccm.io/health-check-protocol": {Value: "http"},
		"multicloud-ccm.io/health-check-port":     {Value: "80"},
		"multicloud-ccm.io/health-check-path":     {Value: "/ready"},
		"multicloud-ccm.io/internal":              {Value: "true"},
		"multicloud-ccm.io/proxy-protocol":        {Value: "true"},

		own + "class":                {Value: "other"},
		own + "floating-network-id":  taken,
		own + "floating-subnet-id":   taken,
		own + "floating-subnet":      taken,
		own + "floating-subnet-tags": taken,
		own + "keep-floatingip":      {Skip: "it is about what is left of a balancer"},
		own + "port-id":              {Value: p.port},
		"multicloud-ccm.io/address":  {Skip: "the kernel finds no free one by itself: see test/e2e/openstack"},
		"multicloud-ccm.io/subnet":   {Value: p.otherSubnet},
		own + "network-id":           {Value: p.otherNetwork},
		own + "member-subnet-id":     {Skip: "it is about new members only"},
		"multicloud-ccm.io/size":     {Value: p.flavor},
		own + "availability-zone":    {Value: p.zone},

		"multicloud-ccm.io/algorithm":   {Value: "least_connections"},
		own + "x-forwarded-for":         {Value: "true"},
		"multicloud-ccm.io/certificate": {Value: p.container},
		own + "connection-limit":        {Value: "77"},
		own + "timeout-client-data":     {Value: "60000"},
		own + "timeout-member-connect":  {Value: "6000"},
		own + "timeout-member-data":     {Value: "60000"},
		own + "timeout-tcp-inspect":     {Value: "100"},

		own + "enable-health-monitor":                        {Value: "true"},
		"multicloud-ccm.io/health-check-interval":            {Value: "9", With: monitored},
		"multicloud-ccm.io/health-check-timeout":             {Value: "4", With: monitored},
		"multicloud-ccm.io/health-check-healthy-threshold":   {Value: "4", With: monitored},
		"multicloud-ccm.io/health-check-unhealthy-threshold": {Value: "5", With: monitored},
	}
}
