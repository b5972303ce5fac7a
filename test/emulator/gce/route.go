package gce

import "net/netip"

var routeRules = []Rule{
	{ID: "route/next-hop", Where: "routes.insert", Text: "there is exactly one next hop", Source: fromVendor},
	{ID: "route/project", Where: "routes.insert", Text: "nextHopInstance is an instance of the route's project: one of another project is a next hop by its address", Source: fromVendor},
	{ID: "route/range", Where: "routes.insert", Text: "destRange is a CIDR without host bits", Source: fromDocument},
	{ID: "route/subnet", Where: "routes.insert", Text: "destRange is not equal to or within a subnetwork's range", Source: fromVendor},
	{ID: "route/priority", Where: "routes.insert", Text: "priority is 0 to 65535", Source: fromDocument},
}

var routes = &kind{
	name: "routes", schema: "Route", metric: "ROUTES",
	references: []reference{
		{field: "network", kinds: []string{"networks"}},
		{field: "nextHopInstance", kinds: []string{"instances"}, weak: true},
		{field: "nextHopIlb", kinds: []string{"forwardingRules"}},
	},
	check: checkRoute,
	view:  routeWarnings,
}

var nextHops = []string{"nextHopInstance", "nextHopIp", "nextHopGateway", "nextHopNetwork", "nextHopVpnTunnel", "nextHopIlb"}

func checkRoute(c *call, wanted, _ fields) error {
	hops := 0
	for _, name := range nextHops {
		if wanted[name] != nil {
			hops++
		}
	}
	if hops != 1 {
		return broken("route/next-hop", "Exactly one next hop must be specified, not %d.", hops)
	}
	if hop := c.named(wanted, "nextHopInstance"); hop != nil && hop.project() != c.project.id {
		return broken("route/project", "Invalid value for field 'resource.nextHopInstance': '%s'. The instance must be in the project of the route.", hop.path)
	}
	prefix, err := netip.ParsePrefix(text(wanted, "destRange"))
	if err != nil || prefix.Masked() != prefix {
		return broken("route/range", "Invalid value for field 'resource.destRange': '%s'.", text(wanted, "destRange"))
	}
	for _, subnet := range c.store.rangesOf(c.named(wanted, "network"), "") {
		if subnet.Overlaps(prefix) && subnet.Bits() <= prefix.Bits() {
			return broken("route/subnet", "Invalid value for field 'resource.destRange': '%s'. It hides the address space %s of the network.", prefix, subnet)
		}
	}
	if priority := number(wanted, "priority"); priority > 65535 {
		return broken("route/priority", "Invalid value for field 'resource.priority': '%d'.", priority)
	}
	wanted["routeType"] = "STATIC"
	return nil
}

// routeWarnings says what keeps a route from working; the codes are the document's.
func routeWarnings(t *store, r *resource, out fields) {
	hop := text(r.fields, "nextHopInstance")
	if hop == "" {
		return
	}
	machine := t.byPath[t.pathOf(hop, r.project())]
	codes := []string{"NEXT_HOP_INSTANCE_NOT_FOUND"}
	if machine != nil {
		codes = nil
		if text(machine.fields, "status") != "RUNNING" {
			codes = append(codes, "NEXT_HOP_NOT_RUNNING")
		}
		if !boolean(machine.fields, "canIpForward") {
			codes = append(codes, "NEXT_HOP_CANNOT_IP_FORWARD")
		}
	}
	var warnings []any
	for _, code := range codes {
		warnings = append(warnings, fields{"code": code, "message": code, "data": []any{}})
	}
	if warnings != nil {
		out["warnings"] = warnings
	}
}
