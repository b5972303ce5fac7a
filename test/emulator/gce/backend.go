package gce

import (
	"maps"
	"slices"
	"strings"
)

var backendRules = []Rule{
	{ID: "backend/scheme", Where: "regionBackendServices", Text: "loadBalancingScheme is EXTERNAL or INTERNAL; others are not emulated", Source: guess, IfWrong: "nothing: the emulator has pass-through balancers only"},
	{ID: "backend/protocol", Where: "regionBackendServices", Text: "protocol is TCP, UDP or UNSPECIFIED", Source: fromVendor},
	{ID: "backend/protocol-used", Where: "regionBackendServices.update regionBackendServices.patch", Text: "the protocol fits the forwarding rules that name the service", Source: guess, IfWrong: "the change is accepted and the rules break"},
	{ID: "backend/health-check", Where: "regionBackendServices", Text: "there is exactly one health check, global or of the region", Source: fromVendor},
	{ID: "backend/port", Where: "regionBackendServices", Text: "port and portName are left out", Source: fromDocument},
	{ID: "backend/group", Where: "regionBackendServices", Text: "a backend has a group of a zone of the region, once", Source: fromVendor},
	{ID: "backend/mixed", Where: "regionBackendServices", Text: "backends are instance groups or NEGs, not both", Source: fromVendor},
	{ID: "backend/endpoint-type", Where: "regionBackendServices", Text: "a NEG has the type GCE_VM_IP", Source: fromVendor},
	{ID: "backend/mode", Where: "regionBackendServices", Text: "balancingMode is CONNECTION, without limits and capacityScaler", Source: fromVendor},
	{ID: "backend/affinity", Where: "regionBackendServices", Text: "sessionAffinity is NONE or one of CLIENT_IP…", Source: fromVendor},
	{ID: "backend/network", Where: "regionBackendServices", Text: "groups of one service are in one network", Source: fromVendor},
	{ID: "backend/draining", Where: "regionBackendServices", Text: "drainingTimeoutSec is 0 to 3600", Source: fromVendor},
	{ID: "backend/two-groups", Where: "regionBackendServices instanceGroups.addInstances", Text: "an instance is in one load-balanced instance group at most", Source: fromUpstream, Code: "instanceInMultipleLoadBalancedIgs"},
}

var backendServices = &kind{
	name: "regionBackendServices", schema: "BackendService", metric: "BACKEND_SERVICES",
	references: []reference{
		{field: "healthChecks[]", kinds: []string{"healthChecks", "regionHealthChecks"}},
		{field: "backends[].group", kinds: []string{"instanceGroups", "networkEndpointGroups"}},
		{field: "network", kinds: []string{"networks"}},
	},
	fixed: []string{"loadBalancingScheme", "network"},
	check: checkBackendService,
}

var affinities = []string{"NONE", "CLIENT_IP", "CLIENT_IP_PROTO", "CLIENT_IP_PORT_PROTO", "CLIENT_IP_NO_DESTINATION"}

func checkBackendService(c *call, wanted, old fields) error {
	preset(wanted, "loadBalancingScheme", "EXTERNAL")
	preset(wanted, "protocol", "TCP")
	preset(wanted, "sessionAffinity", "NONE")
	preset(wanted, "timeoutSec", 30)
	preset(wanted, "connectionDraining", fields{})
	draining, _ := wanted["connectionDraining"].(fields)
	preset(draining, "drainingTimeoutSec", 0)
	scheme, protocol := text(wanted, "loadBalancingScheme"), text(wanted, "protocol")
	switch {
	case scheme != "EXTERNAL" && scheme != "INTERNAL":
		return broken("backend/scheme", "Invalid value for field 'resource.loadBalancingScheme': '%s'.", scheme)
	case protocol != "TCP" && protocol != "UDP" && protocol != "UNSPECIFIED":
		return broken("backend/protocol", "Invalid value for field 'resource.protocol': '%s'.", protocol)
	case wanted["port"] != nil || wanted["portName"] != nil:
		return broken("backend/port", "Invalid value for field 'resource.portName': pass-through load balancers have none.")
	case !slices.Contains(affinities, text(wanted, "sessionAffinity")):
		return broken("backend/affinity", "Invalid value for field 'resource.sessionAffinity': '%s'.", text(wanted, "sessionAffinity"))
	}
	if seconds := number(draining, "drainingTimeoutSec"); seconds < 0 || seconds > 3600 {
		return broken("backend/draining", "Invalid value for field 'resource.connectionDraining.drainingTimeoutSec': '%d'.", seconds)
	}
	checks := texts(wanted, "healthChecks")
	if len(checks) != 1 || (scopeOf(c.store.pathOf(checks[0], c.project.id)) != c.scope && scopeOf(c.store.pathOf(checks[0], c.project.id)) != "global") {
		return broken("backend/health-check", "Invalid value for field 'resource.healthChecks': exactly one health check must be specified, global or of the region.")
	}
	if err := checkBackends(c, wanted); err != nil {
		return err
	}
	if old != nil {
		return checkUsers(c, wanted)
	}
	return nil
}

// checkUsers checks a change against the forwarding rules that name the service.
func checkUsers(c *call, wanted fields) error {
	of := text(wanted, "protocol")
	for user := range c.store.users[c.target()] {
		rule := c.store.byPath[user]
		if protocol := text(rule.fields, "IPProtocol"); rule.kind.name == "forwardingRules" && protocol != of && of != "UNSPECIFIED" {
			return broken("backend/protocol-used", "Invalid value for field 'resource.protocol': '%s'. The forwarding rule '%s' has %s.", of, user, protocol)
		}
	}
	return nil
}

var backendLimits = []string{"maxConnections", "maxConnectionsPerInstance", "maxConnectionsPerEndpoint", "maxRate", "maxRatePerInstance", "maxRatePerEndpoint", "maxUtilization", "capacityScaler"}

func checkBackends(c *call, wanted fields) error {
	seen, of, network := map[string]bool{}, map[*kind]bool{}, ""
	for _, backend := range objects(wanted, "backends") {
		group := c.named(backend, "group")
		if group == nil || regionOf(group.scope()) != c.region() || seen[group.path] {
			return broken("backend/group", "Invalid value for field 'resource.backends.group': '%s'.", text(backend, "group"))
		}
		seen[group.path], of[group.kind] = true, true
		if group.kind.name == "networkEndpointGroups" && text(group.fields, "networkEndpointType") != "GCE_VM_IP" {
			return broken("backend/endpoint-type", "Invalid value for field 'resource.backends.group': '%s' is no GCE_VM_IP group.", group.path)
		}
		preset(backend, "balancingMode", "CONNECTION")
		for _, limit := range backendLimits {
			if backend[limit] != nil {
				return broken("backend/mode", "Invalid value for field 'resource.backends.%s'.", limit)
			}
		}
		if text(backend, "balancingMode") != "CONNECTION" {
			return broken("backend/mode", "Invalid value for field 'resource.backends.balancingMode': '%s'.", text(backend, "balancingMode"))
		}
		if other := text(c.store.view(group), "network"); other != "" {
			if network != "" && network != other {
				return broken("backend/network", "Invalid value for field 'resource.backends': groups are in different networks.")
			}
			network = other
		}
	}
	if len(of) > 1 {
		return broken("backend/mixed", "Instance groups and network endpoint groups cannot be mixed.")
	}
	return checkOneGroup(c, seen, nil)
}

// checkOneGroup refuses that a machine is in two load-balanced groups, when the named ones are
// load-balanced too and have the members that are given.
func checkOneGroup(c *call, balanced map[string]bool, members map[string][]member) error {
	groups := maps.Clone(balanced)
	for _, group := range c.store.of(c.project.id, "instanceGroups", "") {
		for user := range c.store.users[group.path] {
			if strings.Contains(user, "/backendServices/") {
				groups[group.path] = true
			}
		}
	}
	in := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(groups)) {
		group := c.store.byPath[path]
		if group.kind.name == "networkEndpointGroups" {
			continue
		}
		have, ok := members[path]
		if !ok {
			have = group.members
		}
		for _, m := range have {
			if other := in[m.instance]; other != "" {
				return broken("backend/two-groups", "Validation failed for instance '%s': instance may belong to at most one load-balanced instance group; it is in '%s' and '%s'.", m.instance, other, path)
			}
			in[m.instance] = path
		}
	}
	return nil
}

// backendHealth answers the health of a group's machines.
func backendHealth(c *call) (any, error) {
	service, err := c.found()
	if err != nil {
		return nil, err
	}
	group, err := c.resolve(text(c.body, "group"), "group", reference{kinds: []string{"instanceGroups", "networkEndpointGroups"}})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(service.uses, group.path) {
		return nil, broken("backend/group", "Invalid value for field 'group': '%s' is no backend.", group.path)
	}
	status := []any{}
	for _, m := range group.members {
		status = append(status, c.store.health(m.instance))
	}
	return fields{"kind": "compute#backendServiceGroupHealth", "healthStatus": status}, nil
}
