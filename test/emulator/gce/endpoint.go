package gce

import (
	"fmt"
	"slices"
	"strings"
)

var endpointRules = []Rule{
	{ID: "endpoint/type", Where: "networkEndpointGroups.insert", Text: "networkEndpointType is GCE_VM_IP or GCE_VM_IP_PORT; others are not emulated", Source: guess, IfWrong: "nothing: a CCM needs no other"},
	{ID: "endpoint/subnetwork", Where: "networkEndpointGroups.insert", Text: "the subnetwork is of the zone's region, and given unless the network has auto mode", Source: fromVendor},
	{ID: "endpoint/default-port", Where: "networkEndpointGroups.insert", Text: "GCE_VM_IP has no defaultPort", Source: fromDocument},
	{ID: "endpoint/instance", Where: "networkEndpointGroups.attachNetworkEndpoints networkEndpointGroups.detachNetworkEndpoints", Text: "an endpoint names an instance of the zone, by name or URL", Source: fromDocument},
	{ID: "endpoint/address", Where: "networkEndpointGroups.attachNetworkEndpoints", Text: "the address is one of the instance in the group's network, or in its alias ranges; left out, its first", Source: fromDocument},
	{ID: "endpoint/port", Where: "networkEndpointGroups.attachNetworkEndpoints", Text: "GCE_VM_IP has no port, GCE_VM_IP_PORT has one or the group's default", Source: fromDocument},
	{ID: "endpoint/batch", Where: "networkEndpointGroups.attachNetworkEndpoints networkEndpointGroups.detachNetworkEndpoints", Text: "at most 500 endpoints in a request", Source: fromVendor},
	{ID: "endpoint/attached", Where: "networkEndpointGroups.detachNetworkEndpoints", Text: "what is detached is attached; what is attached twice changes nothing", Source: guess, IfWrong: "a repeated detachment succeeds, or a repeated attachment fails"},
}

var endpointGroups = &kind{
	name: "networkEndpointGroups", schema: "NetworkEndpointGroup", metric: "NETWORK_ENDPOINT_GROUPS",
	references: []reference{{field: "network", kinds: []string{"networks"}}, {field: "subnetwork", kinds: []string{"subnetworks"}}},
	check:      checkEndpointGroup,
	view:       func(_ *store, r *resource, out fields) { out["size"] = len(r.members) },
}

func checkEndpointGroup(c *call, wanted, _ fields) error {
	preset(wanted, "networkEndpointType", "GCE_VM_IP_PORT")
	kind := text(wanted, "networkEndpointType")
	if kind != "GCE_VM_IP" && kind != "GCE_VM_IP_PORT" {
		return broken("endpoint/type", "Invalid value for field 'resource.networkEndpointType': '%s'.", kind)
	}
	if kind == "GCE_VM_IP" && wanted["defaultPort"] != nil {
		return broken("endpoint/default-port", "Invalid value for field 'resource.defaultPort': GCE_VM_IP has none.")
	}
	subnet := c.subnetFor(wanted)
	if subnet == nil || subnet.scope() != "regions/"+c.region() {
		return broken("endpoint/subnetwork", "Invalid value for field 'resource.subnetwork': '%s'.", text(wanted, "subnetwork"))
	}
	wanted["subnetwork"], wanted["network"] = c.store.link(subnet.path), subnet.fields["network"]
	return nil
}

// readEndpoint reads one endpoint of a request.
func readEndpoint(c *call, group *resource, f fields) (member, error) {
	machine, err := c.resolve(text(f, "instance"), "networkEndpoints.instance", reference{kinds: []string{"instances"}, zoned: true})
	if err != nil {
		return member{}, err
	}
	if machine.scope() != c.scope {
		return member{}, broken("endpoint/instance", "Invalid value for field 'networkEndpoints.instance': '%s' is not in %s.", machine.path, c.scope)
	}
	m := member{instance: machine.path, address: text(f, "ipAddress"), port: number(f, "port")}
	known := false
	for _, nic := range objects(machine.fields, "networkInterfaces") {
		if text(nic, "network") != text(group.fields, "network") {
			continue
		}
		if m.address == "" {
			m.address = text(nic, "networkIP")
		}
		known = known || m.address == text(nic, "networkIP") || inAlias(nic, m.address)
	}
	if !known {
		return member{}, broken("endpoint/address", "Invalid value for field 'networkEndpoints.ipAddress': '%s' is no address of '%s' in the network.", m.address, machine.path)
	}
	return m, checkEndpointPort(group, &m)
}

func checkEndpointPort(group *resource, m *member) error {
	withPort := text(group.fields, "networkEndpointType") == "GCE_VM_IP_PORT"
	if withPort && m.port == 0 {
		m.port = number(group.fields, "defaultPort")
	}
	if withPort != (m.port != 0) || m.port < 0 || m.port > 65535 {
		return broken("endpoint/port", "Invalid value for field 'networkEndpoints.port': '%d'.", m.port)
	}
	return nil
}

func inAlias(nic fields, address string) bool {
	return slices.ContainsFunc(objects(nic, "aliasIpRanges"), func(alias fields) bool {
		prefix, err := parseRange(text(alias, "ipCidrRange"))
		addr, addrErr := parseRange(address)
		return err == nil && addrErr == nil && prefix.Contains(addr.Addr())
	})
}

func sentEndpoints(c *call, group *resource) ([]member, error) {
	sent := objects(c.body, "networkEndpoints")
	if len(sent) > 500 {
		return nil, broken("endpoint/batch", "Invalid value for field 'networkEndpoints': at most 500.")
	}
	var out []member
	for _, f := range sent {
		if text(f, "instance") == "" {
			return nil, broken("endpoint/instance", "Required field 'networkEndpoints.instance' not specified")
		}
		m, err := readEndpoint(c, group, f)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func attachEndpoints(c *call) (any, error) {
	return c.editMembers(func(group *resource) ([]member, error) {
		sent, err := sentEndpoints(c, group)
		if err != nil {
			return nil, err
		}
		members := slices.Clone(group.members)
		for _, m := range sent {
			if !slices.Contains(members, m) {
				members = append(members, m)
			}
		}
		return members, nil
	})
}

func detachEndpoints(c *call) (any, error) {
	return c.editMembers(func(group *resource) ([]member, error) {
		sent, err := sentEndpoints(c, group)
		if err != nil {
			return nil, err
		}
		members := slices.Clone(group.members)
		for _, m := range sent {
			at := slices.Index(members, m)
			if at < 0 {
				return nil, broken("endpoint/attached", "Invalid value for field 'networkEndpoints': '%s' is not attached.", m.instance)
			}
			members = slices.Delete(members, at, at+1)
		}
		return members, nil
	})
}

// listEndpoints answers a page of endpoints. Instances are answered by name (guess).
func listEndpoints(c *call) (any, error) {
	group, err := c.found()
	if err != nil {
		return nil, err
	}
	var all []*resource
	for _, m := range group.members {
		endpoint := fields{"instance": m.instance[strings.LastIndexByte(m.instance, '/')+1:], "ipAddress": m.address}
		if m.port != 0 {
			endpoint["port"] = m.port
		}
		all = append(all, &resource{kind: &kind{}, path: fmt.Sprintf("%s %s:%d", m.instance, m.address, m.port), fields: fields{"networkEndpoint": endpoint}})
	}
	return c.pageOf(all)
}
