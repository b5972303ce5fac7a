package gce

import (
	"maps"
	"net/netip"
	"slices"
)

var addressRules = []Rule{
	{ID: "address/ipv4", Where: "addresses.insert", Text: "ipVersion IPV6 is not emulated", Source: guess, IfWrong: "nothing: the emulator lacks IPv6"},
	{ID: "address/tier", Where: "addresses.insert", Text: "networkTier is PREMIUM or STANDARD, of internal addresses PREMIUM", Source: fromDocument},
	{ID: "address/scheme", Where: "addresses.insert", Text: "network and subnetwork belong to INTERNAL", Source: fromDocument},
	{ID: "address/subnetwork", Where: "addresses.insert", Text: "an internal address has a subnetwork of its region; left out, that of an auto mode network \"default\"", Source: fromVendor},
	{ID: "address/range", Where: "addresses.insert", Text: "an internal address is in the subnetwork's range", Source: fromDocument},
	{ID: "address/promotion", Where: "addresses.insert", Text: "an external address that is named is in use by a forwarding rule or an instance of the region", Source: fromVendor},
	{ID: "address/promotion-tier", Where: "addresses.insert", Text: "the tier is that of the address that is named", Source: guess, IfWrong: "the code of the answer; the reservation is refused all the same"},
	{ID: "address/reserved-external", Where: "addresses.insert", Text: "an external address is not reserved already; the answer is 400", Source: fromUpstream},
	{ID: "address/reserved-internal", Where: "addresses.insert", Text: "an internal address is not reserved already; the answer is 409", Source: fromUpstream, Status: 409, Code: "alreadyExists"},
	{ID: "address/labels", Where: "addresses.insert forwardingRules.insert", Text: "labels are set by setLabels only", Source: fromDocument},
	{ID: "address/used", Where: "addresses.delete", Text: "the address of a forwarding rule can be deleted, and becomes ephemeral; that of an instance cannot", Source: fromUpstream, Code: "resourceInUseByAnotherResource"},
}

var addresses = &kind{
	name: "addresses", schema: "Address", metric: "STATIC_ADDRESSES",
	references: []reference{
		{field: "network", kinds: []string{"networks"}},
		{field: "subnetwork", kinds: []string{"subnetworks"}},
	},
	check: checkAddress,
	remove: func(c *call, r *resource) error {
		for _, owner := range c.store.ownersOf(r.project(), text(r.fields, "address")) {
			if owner.kind.name == "instances" {
				return broken("address/used", "The address resource '%s' is already being used by '%s'", r.path, owner.path)
			}
		}
		return nil
	},
	view: func(t *store, r *resource, out fields) {
		var users []any
		for _, owner := range t.ownersOf(r.project(), text(r.fields, "address")) {
			if owner.kind != r.kind {
				users = append(users, t.link(owner.path))
			}
		}
		out["status"] = "RESERVED"
		if users != nil {
			out["status"], out["users"] = "IN_USE", users
		}
	},
}

func checkAddress(c *call, wanted, _ fields) error {
	if text(wanted, "ipVersion") == "IPV6" {
		return broken("address/ipv4", "The emulator has no IPv6.")
	}
	if wanted["labels"] != nil {
		return broken("address/labels", "Invalid value for field 'resource.labels': labels are set by setLabels.")
	}
	preset(wanted, "addressType", "EXTERNAL")
	preset(wanted, "networkTier", "PREMIUM")
	internal := text(wanted, "addressType") == "INTERNAL"
	tier := text(wanted, "networkTier")
	if (tier != "PREMIUM" && tier != "STANDARD") || (internal && tier != "PREMIUM") {
		return broken("address/tier", "Invalid value for field 'resource.networkTier': '%s'.", tier)
	}
	if !internal {
		if wanted["subnetwork"] != nil || wanted["network"] != nil {
			return broken("address/scheme", "Invalid value for field 'resource.subnetwork': an external address has none.")
		}
		return checkExternal(c, wanted, tier)
	}
	subnet := c.subnetFor(wanted)
	if subnet == nil || subnet.scope() != c.scope {
		return broken("address/subnetwork", "Invalid value for field 'resource.subnetwork': '%s'.", text(wanted, "subnetwork"))
	}
	wanted["subnetwork"] = c.store.link(subnet.path)
	preset(wanted, "purpose", "GCE_ENDPOINT")
	address := text(wanted, "address")
	switch {
	case address == "":
		wanted["address"] = c.store.freeInternal(subnet)
	case !inside(subnet, address):
		return broken("address/range", "Invalid value for field 'resource.address': '%s'. Requested internal IP address is outside the subnetwork CIDR range.", address)
	case c.store.reserved(c.project.id, address) != nil:
		return broken("address/reserved-internal", "IP is already being used by another resource: %s", address)
	}
	return nil
}

func checkExternal(c *call, wanted fields, tier string) error {
	address := text(wanted, "address")
	if address == "" {
		wanted["address"] = c.store.freeExternal(c.project.id, c.region(), tier)
		return nil
	}
	if c.store.reserved(c.project.id, address) != nil {
		return broken("address/reserved-external", "Invalid value for field 'resource.address': '%s'. Specified IP address is already reserved.", address)
	}
	owners := c.store.ownersOf(c.project.id, address)
	if !slices.ContainsFunc(owners, func(r *resource) bool { return regionOf(r.scope()) == c.region() }) {
		return broken("address/promotion", "Invalid value for field 'resource.address': '%s'. Specified IP address is not in use by a resource of the region.", address)
	}
	if tierOf(address) != tier {
		return broken("address/promotion-tier", "Invalid value for field 'resource.networkTier': '%s'. The address is of another tier.", tier)
	}
	return nil
}

// reserved returns the address resource of an address, nil without one.
func (t *store) reserved(project, address string) *resource {
	for _, r := range t.of(project, "addresses", "") {
		if text(r.fields, "address") == address {
			return r
		}
	}
	return nil
}

// ownersOf returns everything that has an address: reservations, forwarding rules, instances.
func (t *store) ownersOf(project, address string) []*resource {
	var out []*resource
	for _, k := range []string{"addresses", "forwardingRules", "instances"} {
		for _, r := range t.of(project, k, "") {
			if slices.Contains(addressesOf(r), address) {
				out = append(out, r)
			}
		}
	}
	return out
}

func addressesOf(r *resource) []string {
	switch r.kind.name {
	case "addresses":
		return []string{text(r.fields, "address")}
	case "forwardingRules":
		return []string{text(r.fields, "IPAddress")}
	}
	var out []string
	for _, nic := range objects(r.fields, "networkInterfaces") {
		out = append(out, text(nic, "networkIP"))
		for _, access := range objects(nic, "accessConfigs") {
			out = append(out, text(access, "natIP"))
		}
	}
	return out
}

// The external addresses of a region begin with these bytes; the third and fourth count.
var tierPrefix = map[string]byte{"PREMIUM": 34, "STANDARD": 35}

func tierOf(address string) string {
	addr, err := netip.ParseAddr(address)
	if err == nil && addr.Is4() && addr.As4()[0] == tierPrefix["STANDARD"] {
		return "STANDARD"
	}
	return "PREMIUM"
}

// freeExternal returns the lowest free external address of a region and tier.
func (t *store) freeExternal(project, region, tier string) string {
	index := slices.Index(t.options.Regions, region)
	return t.pool(project).next(netip.AddrFrom4([4]byte{tierPrefix[tier], byte(64 + index), 0, 1}))
}

// freeInternal returns the lowest free address of a subnetwork; the first and second are the
// network's and the gateway's.
func (t *store) freeInternal(subnet *resource) string {
	prefix := netip.MustParsePrefix(text(subnet.fields, "ipCidrRange"))
	return t.pool(slices.Collect(maps.Keys(t.projects))...).next(prefix.Addr().Next().Next())
}

func inside(subnet *resource, address string) bool {
	addr, err := netip.ParseAddr(address)
	return err == nil && netip.MustParsePrefix(text(subnet.fields, "ipCidrRange")).Contains(addr)
}
