package gce

import (
	"net/netip"
	"strings"
)

var networkRules = []Rule{
	{ID: "network/mode", Where: "networks.insert", Text: "autoCreateSubnetworks is given and IPv4Range is not: legacy networks cannot be made any more", Source: fromVendor},
	{ID: "network/in-use", Where: "networks.delete", Text: "nothing names the network but subnetworks of an auto mode network, which go with it", Source: fromVendor, Code: "resourceInUseByAnotherResource"},
	{ID: "subnetwork/required", Where: "subnetworks.insert", Text: "network and ipCidrRange are given", Source: fromDocument, Code: "required"},
	{ID: "subnetwork/range", Where: "subnetworks.insert subnetworks.patch", Text: "ranges are IPv4 networks without host bits, /8 to /29", Source: fromVendor},
	{ID: "subnetwork/overlap", Where: "subnetworks.insert subnetworks.patch", Text: "primary and secondary ranges overlap no other range of the network", Source: fromDocument},
	{ID: "subnetwork/secondary", Where: "subnetworks.insert subnetworks.patch", Text: "a secondary range has a name of its own and a range", Source: fromDocument},
}

var networks = &kind{
	name: "networks", schema: "Network", metric: "NETWORKS", check: checkNetwork, remove: removeNetwork,
	removed: func(t *store, r *resource) {
		for _, subnet := range t.subnetsOf(r) {
			t.remove(subnet.path)
		}
	},
	view: func(t *store, r *resource, out fields) {
		var links []any
		for _, subnet := range t.subnetsOf(r) {
			links = append(links, t.link(subnet.path))
		}
		if links != nil {
			out["subnetworks"] = links
		}
	},
}

var subnetworks = &kind{
	name: "subnetworks", schema: "Subnetwork", metric: "SUBNETWORKS",
	references: []reference{{field: "network", kinds: []string{"networks"}, weak: true}},
	alone:      []string{"secondaryIpRanges", "privateIpGoogleAccess", "description"},
	check:      checkSubnetwork,
}

func (t *store) subnetsOf(network *resource) []*resource {
	var out []*resource
	for _, subnet := range t.of(network.project(), "subnetworks", "") {
		if t.pathOf(text(subnet.fields, "network"), "") == network.path {
			out = append(out, subnet)
		}
	}
	return out
}

func checkNetwork(c *call, wanted, old fields) error {
	if wanted["IPv4Range"] != nil || wanted["autoCreateSubnetworks"] == nil {
		return broken("network/mode", "Legacy networks are deprecated. You can't create a legacy network.")
	}
	preset(wanted, "mtu", 1460)
	preset(wanted, "networkFirewallPolicyEnforcementOrder", "AFTER_CLASSIC_FIREWALL")
	preset(wanted, "routingConfig", fields{"routingMode": "REGIONAL"})
	return nil
}

func removeNetwork(c *call, r *resource) error {
	for _, subnet := range c.store.subnetsOf(r) {
		if !boolean(r.fields, "autoCreateSubnetworks") || len(c.store.users[subnet.path]) > 0 {
			return broken("network/in-use", "The network resource '%s' is already being used by '%s'", r.path, subnet.path)
		}
	}
	return nil
}

func checkSubnetwork(c *call, wanted, old fields) error {
	if text(wanted, "network") == "" || text(wanted, "ipCidrRange") == "" {
		return broken("subnetwork/required", "Required field 'resource.network' or 'resource.ipCidrRange' not specified")
	}
	names, ranges := map[string]bool{}, []string{text(wanted, "ipCidrRange")}
	for _, secondary := range objects(wanted, "secondaryIpRanges") {
		name := text(secondary, "rangeName")
		if !namePattern.MatchString(name) || names[name] {
			return broken("subnetwork/secondary", "Invalid value for field 'resource.secondaryIpRanges.rangeName': '%s'.", name)
		}
		names[name] = true
		ranges = append(ranges, text(secondary, "ipCidrRange"))
	}
	taken := c.store.rangesOf(c.named(wanted, "network"), c.collection()+"/"+text(wanted, "name"))
	for _, text := range ranges {
		prefix, err := netip.ParsePrefix(text)
		if err != nil || !prefix.Addr().Is4() || prefix.Masked() != prefix || prefix.Bits() < 8 || prefix.Bits() > 29 {
			return broken("subnetwork/range", "Invalid value for field 'resource.ipCidrRange': '%s'.", text)
		}
		for _, other := range taken {
			if other.Overlaps(prefix) {
				return broken("subnetwork/overlap", "Invalid IPCidrRange: %s conflicts with existing subnetwork range %s.", prefix, other)
			}
		}
		taken = append(taken, prefix)
	}
	wanted["gatewayAddress"] = netip.MustParsePrefix(ranges[0]).Addr().Next().String()
	preset(wanted, "purpose", "PRIVATE")
	preset(wanted, "stackType", "IPV4_ONLY")
	preset(wanted, "privateIpGoogleAccess", false)
	return nil
}

// rangesOf returns the ranges of a network's subnetworks but one.
func (t *store) rangesOf(network *resource, but string) []netip.Prefix {
	var out []netip.Prefix
	for _, subnet := range t.subnetsOf(network) {
		if subnet.path == but {
			continue
		}
		texts := []string{text(subnet.fields, "ipCidrRange")}
		for _, secondary := range objects(subnet.fields, "secondaryIpRanges") {
			texts = append(texts, text(secondary, "ipCidrRange"))
		}
		for _, t := range texts {
			out = append(out, netip.MustParsePrefix(t))
		}
	}
	return out
}

// subnetFor returns the subnetwork that a new object of a region is in: the named one, else the only
// one of its network, "default" when none is named.
func (c *call) subnetFor(f fields) *resource {
	if subnet := c.named(f, "subnetwork"); subnet != nil {
		return subnet
	}
	network := c.named(f, "network")
	if network == nil {
		network = c.store.byPath["projects/"+c.project.id+"/global/networks/default"]
	}
	if network == nil || !boolean(network.fields, "autoCreateSubnetworks") {
		return nil
	}
	for _, subnet := range c.store.subnetsOf(network) {
		if subnet.scope() == "regions/"+c.region() {
			return subnet
		}
	}
	return nil
}

// region is the region of the call's scope.
func (c *call) region() string { return regionOf(c.scope) }

// regionOf is the region of "regions/r" and "zones/r-a", "" of "global".
func regionOf(scope string) string {
	if name, ok := strings.CutPrefix(scope, "regions/"); ok {
		return name
	}
	if name, ok := strings.CutPrefix(scope, "zones/"); ok {
		return name[:strings.LastIndexByte(name, '-')]
	}
	return ""
}
