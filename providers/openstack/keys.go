package openstack

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Names of the sections.
const (
	sectionGlobal     = "Global"
	sectionNetworking = "Networking"
	sectionBalancer   = "LoadBalancer"
	sectionClass      = "LoadBalancerClass"
	sectionRoute      = "Route"
	sectionMetadata   = "Metadata"
)

// key declares one key of the file, and binds it to where its value goes.
type key struct {
	name  string
	value value
	// unset is the value of a key that is not there.
	unset string
	// lenient makes a value that is not right a warning, where upstream goes on too.
	lenient bool
	doc     string
}

// section are the keys of one section.
type section struct {
	name string
	keys []key
}

// sections declares every section but the classes.
func (c *config) sections() []section {
	return []section{
		{sectionGlobal, c.global.keys()},
		{sectionNetworking, c.networking.keys()},
		{sectionBalancer, c.balancer.keys()},
		{sectionRoute, []key{
			{name: "router-id", value: identifier(&c.router), doc: "Router that gets the routes to the pods of each node. Not set: no routes. There is no other key in this section."},
		}},
		{sectionMetadata, []key{
			{name: "search-order", value: unread(), doc: "Accepted for compatibility and ignored: nothing here reads instance metadata."},
			{name: "request-timeout", value: duration(&c.requestTimeout), unset: "60s", doc: "Bounds every request to the cloud, as it does upstream. No request takes longer than 30s in any case."},
		}},
	}
}

func (n *networkingConfig) keys() []key {
	return []key{
		{name: "ipv6-support-disabled", value: boolean(&n.ipv6Disabled), unset: "false", doc: "Leave IPv6 addresses of machines out."},
		{name: "public-network-name", value: list(&n.publicNetworks), doc: "Network whose addresses are external. May stand several times."},
		{name: "internal-network-name", value: list(&n.internalNetworks), doc: "Network whose addresses are internal; those of networks that are not named are left out then. May stand several times."},
		{name: "address-sort-order", value: prefixes(&n.sortOrder), lenient: true, doc: "Networks, separated by commas, whose addresses come first, in this order."},
	}
}

func (c *classConfig) keys() []key { return c.placement.keys() }

func (p *placement) keys() []key {
	return []key{
		{name: "network-id", value: identifier(&p.network), doc: "Network of the balancer's address."},
		{name: "subnet-id", value: identifier(&p.subnet), doc: "Subnet of the balancer's address."},
		{name: "member-subnet-id", value: identifier(&p.memberSubnet), doc: "Subnet through which members are reached."},
		{name: "floating-network-id", value: identifier(&p.floatingNetwork), doc: "External network of floating IPs."},
		{name: "floating-subnet-id", value: identifier(&p.floatingSubnet), doc: "Subnet of floating IPs."},
		{name: "floating-subnet", value: text(&p.floatingSubnetName), doc: "Name of the subnet of floating IPs: a pattern with * and ?, or ~ and a regular expression; ! before it negates."},
		{name: "floating-subnet-tags", value: text(&p.floatingSubnetTags), doc: "Tags of the subnet of floating IPs: a,b for any of them, &a,b for all; ! before it negates."},
	}
}

func (b *balancerConfig) keys() []key {
	var version string // there is one left
	keys := []key{
		{name: "enabled", value: boolean(&b.enabled), unset: "true", doc: "Look after Services of type LoadBalancer."},
		{name: "lb-version", value: choice(&version, "v2"), doc: "Version of the API: v2 is the only one."},
		{name: "lb-provider", value: preference(&b.provider, "amphora", "octavia", "amphorav2", "ovn", "f5"), unset: "amphora", lenient: true, doc: "Provider of new balancers."},
		{name: "lb-method", value: choice(&b.method, methodRoundRobin, "LEAST_CONNECTIONS", "SOURCE_IP", methodSourceIPPort), doc: "How connections are spread. Not set: ROUND_ROBIN, with provider ovn SOURCE_IP_PORT, the only one it has."},
	}
	keys = append(keys, b.placement.keys()...)
	return append(keys,
		key{name: "create-monitor", value: boolean(&b.monitor), unset: "false", doc: "Check the health of members."},
		key{name: "monitor-delay", value: duration(&b.monitorDelay), unset: "5s", doc: "Time between two checks, in whole seconds."},
		key{name: "monitor-timeout", value: duration(&b.monitorTimeout), unset: "3s", doc: "How long a check waits, in whole seconds."},
		key{name: "monitor-max-retries", value: number(&b.monitorRetries, 1, 10), unset: "1", doc: "Checks that must succeed before a member is online."},
		key{name: "monitor-max-retries-down", value: number(&b.monitorRetriesDown, 1, 10), unset: "3", doc: "Checks that must fail before a member is offline."},
		key{name: "manage-security-groups", value: boolean(&b.manageSecurityGroups), unset: "false", doc: "Keep a security group per Service on the nodes' ports, which lets the balancer reach them."},
		key{name: "internal-lb", value: boolean(&b.internal), unset: "false", doc: "No balancer gets a floating IP, whatever its Service says."},
		key{name: "node-selector", value: text(&b.nodeSelector), doc: "Labels, k=v separated by commas, of the nodes that are members."},
		key{name: "cascade-delete", value: boolean(&b.cascadeDelete), unset: "true", doc: "Delete a balancer with all it consists of in one request."},
		key{name: "flavor-id", value: identifier(&b.flavor), doc: "Flavor of new balancers."},
		key{name: "availability-zone", value: text(&b.zone), doc: "Availability zone of new balancers."},
		key{name: "enable-ingress-hostname", value: boolean(&b.ingressHostname), unset: "false", doc: "With the PROXY protocol the status has a host name instead of the address, so that pods reach it through the balancer too."},
		key{name: "ingress-hostname-suffix", value: text(&b.hostnameSuffix), unset: "nip.io", doc: "What follows the address in that host name."},
		key{name: "max-shared-lb", value: number(&b.maxShared, 1, 1000), unset: "2", doc: "Most Services that share one balancer."},
		key{name: "default-tls-container-ref", value: text(&b.tlsRef), doc: "Barbican URL of the certificate that every Service without one gets."},
		key{name: "container-store", value: preference(&b.containerStore, "barbican", "external"), unset: "barbican", lenient: true, doc: "Where certificates are. With barbican they are looked up before use, with external they are not."},
		key{name: "provider-requires-serial-api-calls", value: boolean(&b.serial), unset: "false", doc: "Create a balancer piece by piece."},
	)
}

// configKeys are the declarations of all keys, for the documentation.
func configKeys() []cloud.ConfigKey {
	var all []cloud.ConfigKey
	for _, s := range append((&config{}).sections(), section{sectionClass + ` "name"`, (&classConfig{}).keys()}) {
		for _, k := range s.keys {
			all = append(all, cloud.ConfigKey{
				Section: s.name, Name: k.name, Type: k.value.kind, Default: k.unset, Secret: k.value.secret, Doc: k.doc,
			})
		}
	}
	return all
}
