package config

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloudconf"
)

// Names of the sections.
const (
	sectionGlobal     = "Global"
	sectionNetworking = "Networking"
	SectionBalancer   = "LoadBalancer"
	sectionClass      = "LoadBalancerClass"
	sectionRoute      = "Route"
	sectionMetadata   = "Metadata"
)

// legacy says what became of keys and sections that are still found in files, in lower case.
var legacy = map[string]string{
	"[router]":                           "the section is called [Route]",
	"[blockstorage]":                     "it is for the storage driver, nothing here reads it",
	"[loadbalancer] use-octavia":         "there is only Octavia, remove it",
	"[loadbalancer] node-security-group": "it was removed long ago; see manage-security-groups",
}

// file declares cloud.conf. The classes it has are put into classes.
func (c *Config) file(classes map[string]*Class) cloudconf.File {
	return cloudconf.File{Legacy: legacy, Sections: []cloudconf.Section{
		{Name: sectionGlobal, Keys: c.Global.keys()},
		{Name: sectionNetworking, Keys: c.Networking.keys()},
		{Name: SectionBalancer, Keys: c.Balancer.keys()},
		{Name: sectionRoute, Keys: []cloudconf.Key{
			{Name: "router-id", Value: cloudconf.Identifier(&c.Router), Doc: "Router that gets the routes to the pods of each node. Not set: no routes. There is no other key in this section."},
		}},
		{Name: sectionMetadata, Keys: []cloudconf.Key{
			{Name: "search-order", Value: cloudconf.Unread(), Doc: "Accepted for compatibility and ignored: nothing here reads instance metadata."},
			{Name: "request-timeout", Value: cloudconf.Duration(&c.RequestTimeout), Unset: "60s", Doc: "Bounds every request to the cloud, as it does upstream. No request takes longer than 30s in any case."},
		}},
		{Name: sectionClass, Nameless: `a class needs a name: [LoadBalancerClass "name"]`, Named: func(name string) []cloudconf.Key {
			if classes[name] == nil {
				classes[name] = &Class{}
			}
			return classes[name].keys()
		}},
	}}
}

func (n *Networking) keys() []cloudconf.Key {
	return []cloudconf.Key{
		{Name: "ipv6-support-disabled", Value: cloudconf.Boolean(&n.Ipv6Disabled), Unset: "false", Doc: "Leave IPv6 addresses of machines out."},
		{Name: "public-network-name", Value: cloudconf.List(&n.PublicNetworks), Doc: "Network whose addresses are external. May stand several times."},
		{Name: "internal-network-name", Value: cloudconf.List(&n.InternalNetworks), Doc: "Network whose addresses are internal; those of networks that are not named are left out then. May stand several times."},
		{Name: "address-sort-order", Value: cloudconf.Prefixes(&n.SortOrder), Lenient: true, Doc: "Networks, separated by commas, whose addresses come first, in this order."},
	}
}

func (c *Class) keys() []cloudconf.Key { return c.Placement.keys() }

func (p *Placement) keys() []cloudconf.Key {
	return []cloudconf.Key{
		{Name: "network-id", Value: cloudconf.Identifier(&p.Network), Doc: "Network of the balancer's address."},
		{Name: "subnet-id", Value: cloudconf.Identifier(&p.Subnet), Doc: "Subnet of the balancer's address."},
		{Name: "member-subnet-id", Value: cloudconf.Identifier(&p.MemberSubnet), Doc: "Subnet through which members are reached."},
		{Name: "floating-network-id", Value: cloudconf.Identifier(&p.FloatingNetwork), Doc: "External network of floating IPs."},
		{Name: "floating-subnet-id", Value: cloudconf.Identifier(&p.FloatingSubnet), Doc: "Subnet of floating IPs."},
		{Name: "floating-subnet", Value: cloudconf.Text(&p.FloatingSubnetName), Doc: "Name of the subnet of floating IPs: a pattern with * and ?, or ~ and a regular expression; ! before it negates."},
		{Name: "floating-subnet-tags", Value: cloudconf.Text(&p.FloatingSubnetTags), Doc: "Tags of the subnet of floating IPs: a,b for any of them, &a,b for all; ! before it negates."},
	}
}

func (b *Balancer) keys() []cloudconf.Key {
	var version string // there is one left
	keys := []cloudconf.Key{
		{Name: "enabled", Value: cloudconf.Boolean(&b.Enabled), Unset: "true", Doc: "Look after Services of type LoadBalancer."},
		{Name: "lb-version", Value: cloudconf.Choice(&version, "v2"), Doc: "Version of the API: v2 is the only one."},
		{Name: "lb-provider", Value: cloudconf.Preference(&b.Provider, "amphora", "octavia", "amphorav2", "ovn", "f5"), Unset: "amphora", Lenient: true, Doc: "Provider of new balancers."},
		{Name: "lb-method", Value: cloudconf.Choice(&b.Method, MethodRoundRobin, "LEAST_CONNECTIONS", "SOURCE_IP", MethodSourceIPPort), Doc: "How connections are spread. Not set: ROUND_ROBIN, with provider ovn SOURCE_IP_PORT, the only one it has."},
	}
	keys = append(keys, b.Placement.keys()...)
	return append(keys,
		cloudconf.Key{Name: "create-monitor", Value: cloudconf.Boolean(&b.Monitor), Unset: "false", Doc: "Check the health of members."},
		cloudconf.Key{Name: "monitor-delay", Value: cloudconf.Duration(&b.MonitorDelay), Unset: "5s", Doc: "Time between two checks, in whole seconds."},
		cloudconf.Key{Name: "monitor-timeout", Value: cloudconf.Duration(&b.MonitorTimeout), Unset: "3s", Doc: "How long a check waits, in whole seconds."},
		cloudconf.Key{Name: "monitor-max-retries", Value: cloudconf.Number(&b.MonitorRetries, 1, 10), Unset: "1", Doc: "Checks that must succeed before a member is online."},
		cloudconf.Key{Name: "monitor-max-retries-down", Value: cloudconf.Number(&b.MonitorRetriesDown, 1, 10), Unset: "3", Doc: "Checks that must fail before a member is offline."},
		cloudconf.Key{Name: "manage-security-groups", Value: cloudconf.Boolean(&b.ManageSecurityGroups), Unset: "false", Doc: "Keep a security group per Service on the nodes' ports, which lets the balancer reach them."},
		cloudconf.Key{Name: "internal-lb", Value: cloudconf.Boolean(&b.Internal), Unset: "false", Doc: "No balancer gets a floating IP, whatever its Service says."},
		cloudconf.Key{Name: "node-selector", Value: cloudconf.Text(&b.NodeSelector), Doc: "Labels, k=v separated by commas, of the nodes that are members."},
		cloudconf.Key{Name: "cascade-delete", Value: cloudconf.Boolean(&b.CascadeDelete), Unset: "true", Doc: "Delete a balancer with all it consists of in one request."},
		cloudconf.Key{Name: "flavor-id", Value: cloudconf.Identifier(&b.Flavor), Doc: "Flavor of new balancers."},
		cloudconf.Key{Name: "availability-zone", Value: cloudconf.Text(&b.Zone), Doc: "Availability zone of new balancers."},
		cloudconf.Key{Name: "enable-ingress-hostname", Value: cloudconf.Boolean(&b.IngressHostname), Unset: "false", Doc: "With the PROXY protocol the status has a host name instead of the address, so that pods reach it through the balancer too."},
		cloudconf.Key{Name: "ingress-hostname-suffix", Value: cloudconf.Text(&b.HostnameSuffix), Unset: "nip.io", Doc: "What follows the address in that host name."},
		cloudconf.Key{Name: "max-shared-lb", Value: cloudconf.Number(&b.MaxShared, 1, 1000), Unset: "2", Doc: "Most Services that share one balancer."},
		cloudconf.Key{Name: "default-tls-container-ref", Value: cloudconf.Text(&b.TLSRef), Doc: "Barbican URL of the certificate that every Service without one gets."},
		cloudconf.Key{Name: "container-store", Value: cloudconf.Preference(&b.ContainerStore, "barbican", "external"), Unset: "barbican", Lenient: true, Doc: "Where certificates are. With barbican they are looked up before use, with external they are not."},
		cloudconf.Key{Name: "provider-requires-serial-api-calls", Value: cloudconf.Boolean(&b.Serial), Unset: "false", Doc: "Create a balancer piece by piece."},
	)
}

// Keys are the declarations of all keys, for the documentation.
func Keys() []cloud.ConfigKey {
	return (&Config{}).file(map[string]*Class{}).Keys()
}
