package gce

import (
	"fmt"
	"slices"
)

var forwardingRules = []Rule{
	{ID: "forwarding/scheme", Where: "forwardingRules.insert", Text: "loadBalancingScheme is EXTERNAL or INTERNAL; others are not emulated", Source: guess, IfWrong: "nothing: the emulator has pass-through balancers only"},
	{ID: "forwarding/target", Where: "forwardingRules.insert", Text: "there is one of target and backendService; INTERNAL has a backendService", Source: fromDocument},
	{ID: "forwarding/region", Where: "forwardingRules.insert forwardingRules.setTarget", Text: "what traffic goes to is in the rule's region", Source: fromDocument},
	{ID: "forwarding/backend-scheme", Where: "forwardingRules.insert", Text: "the backend service has the rule's scheme", Source: fromDocument},
	{ID: "forwarding/protocol", Where: "forwardingRules.insert", Text: "TCP and UDP go to a backend service of the same protocol or UNSPECIFIED, L3_DEFAULT to UNSPECIFIED with allPorts", Source: fromVendor},
	{ID: "forwarding/port-fields", Where: "forwardingRules.insert", Text: "at most one of portRange, ports and allPorts is set; ports and allPorts need a backend service, INTERNAL needs one of the two", Source: fromDocument},
	{ID: "forwarding/ports", Where: "forwardingRules.insert", Text: "ports are at most 5 numbers; ports are 1 to 65535", Source: fromDocument},
	{ID: "forwarding/address", Where: "forwardingRules.insert", Text: "an external address that is named is reserved in the region", Source: fromVendor},
	{ID: "forwarding/address-tier", Where: "forwardingRules.insert", Text: "the tier is that of the address", Source: fromDocument},
	{ID: "forwarding/address-range", Where: "forwardingRules.insert", Text: "an internal address is in the subnetwork's range", Source: fromVendor},
	{ID: "forwarding/address-taken", Where: "forwardingRules.insert", Text: "no other rule has the address with the same protocol and a common port; an internal address has one rule unless it is reserved for SHARED_LOADBALANCER_VIP", Source: fromVendor, Code: "ipInUseByAnotherResource"},
	{ID: "forwarding/subnetwork", Where: "forwardingRules.insert", Text: "network and subnetwork belong to INTERNAL; with a custom mode network the subnetwork is given; it is in the region", Source: fromDocument},
	{ID: "forwarding/global-access", Where: "forwardingRules.insert forwardingRules.patch", Text: "allowGlobalAccess belongs to INTERNAL", Source: fromVendor},
	{ID: "forwarding/tier", Where: "forwardingRules.insert", Text: "networkTier is PREMIUM or STANDARD, of INTERNAL PREMIUM", Source: fromDocument},
	{ID: "forwarding/patch", Where: "forwardingRules.patch", Text: "only networkTier (document) and allowGlobalAccess (the vendor's command line) are patched; an address in use keeps its tier", Source: guess, IfWrong: "more changes are possible in place"},
	{ID: "forwarding/source-ranges", Where: "forwardingRules.insert", Text: "sourceIpRanges are at most 64, of EXTERNAL rules", Source: fromDocument},
	{ID: "forwarding/same-type", Where: "forwardingRules.setTarget", Text: "the new target is of the same type as the old one", Source: fromDocument},
}

var forwarding = &kind{
	name: "forwardingRules", schema: "ForwardingRule", metric: "FORWARDING_RULES",
	references: []reference{
		{field: "target", kinds: []string{"targetPools"}},
		{field: "backendService", kinds: []string{"regionBackendServices"}},
		{field: "network", kinds: []string{"networks"}},
		{field: "subnetwork", kinds: []string{"subnetworks"}},
	},
	alone: []string{"networkTier", "allowGlobalAccess"},
	check: checkForwarding,
}

func checkForwarding(c *call, wanted, old fields) error {
	if old != nil {
		return checkForwardingPatch(wanted, old)
	}
	if wanted["labels"] != nil {
		return broken("address/labels", "Invalid value for field 'resource.labels': labels are set by setLabels.")
	}
	preset(wanted, "loadBalancingScheme", "EXTERNAL")
	preset(wanted, "IPProtocol", "TCP")
	preset(wanted, "networkTier", "PREMIUM")
	scheme := text(wanted, "loadBalancingScheme")
	internal := scheme == "INTERNAL"
	switch tier := text(wanted, "networkTier"); {
	case scheme != "EXTERNAL" && !internal:
		return broken("forwarding/scheme", "Invalid value for field 'resource.loadBalancingScheme': '%s'.", scheme)
	case (tier != "PREMIUM" && tier != "STANDARD") || (internal && tier != "PREMIUM"):
		return broken("forwarding/tier", "Invalid value for field 'resource.networkTier': '%s'.", tier)
	case boolean(wanted, "allowGlobalAccess") && !internal:
		return broken("forwarding/global-access", "Invalid value for field 'resource.allowGlobalAccess': only INTERNAL rules have it.")
	case len(texts(wanted, "sourceIpRanges")) > 64 || (internal && wanted["sourceIpRanges"] != nil):
		return broken("forwarding/source-ranges", "Invalid value for field 'resource.sourceIpRanges'.")
	}
	for _, check := range []func(*call, fields, bool) error{checkDestination, checkPorts, checkVIP} {
		if err := check(c, wanted, internal); err != nil {
			return err
		}
	}
	if c.kind.has("fingerprint") && internal {
		preset(wanted, "allowGlobalAccess", false)
	}
	return nil
}

func checkForwardingPatch(wanted, old fields) error {
	if boolean(wanted, "allowGlobalAccess") && text(old, "loadBalancingScheme") != "INTERNAL" {
		return broken("forwarding/global-access", "Invalid value for field 'resource.allowGlobalAccess': only INTERNAL rules have it.")
	}
	if tier := text(wanted, "networkTier"); tier != text(old, "networkTier") && tierOf(text(old, "IPAddress")) != tier {
		return broken("forwarding/patch", "Invalid value for field 'resource.networkTier': '%s'. The address is of another tier.", tier)
	}
	return nil
}

// checkDestination checks what the traffic goes to.
func checkDestination(c *call, wanted fields, internal bool) error {
	pool, service := c.named(wanted, "target"), c.named(wanted, "backendService")
	if (pool == nil) == (service == nil) || (internal && service == nil) {
		return broken("forwarding/target", "Exactly one of 'target' and 'backendService' must be specified; INTERNAL needs 'backendService'.")
	}
	protocol := text(wanted, "IPProtocol")
	if pool != nil {
		if pool.scope() != c.scope {
			return broken("forwarding/region", "Invalid value for field 'resource.target': '%s'. The target is in another region.", pool.path)
		}
		if protocol == "L3_DEFAULT" {
			return broken("forwarding/protocol", "Invalid value for field 'resource.IPProtocol': '%s'.", protocol)
		}
		return nil
	}
	if service.scope() != c.scope {
		return broken("forwarding/region", "Invalid value for field 'resource.backendService': '%s'. The backend service is in another region.", service.path)
	}
	if text(service.fields, "loadBalancingScheme") != text(wanted, "loadBalancingScheme") {
		return broken("forwarding/backend-scheme", "Invalid value for field 'resource.backendService': '%s'. The load balancing schemes differ.", service.path)
	}
	of := text(service.fields, "protocol")
	switch {
	case protocol == "L3_DEFAULT" && of == "UNSPECIFIED" && boolean(wanted, "allPorts"):
	case (protocol == "TCP" || protocol == "UDP") && (of == protocol || of == "UNSPECIFIED"):
	default:
		return broken("forwarding/protocol", "Invalid value for field 'resource.IPProtocol': '%s'. The backend service has %s.", protocol, of)
	}
	return nil
}

func checkPorts(c *call, wanted fields, internal bool) error {
	ports, span, all := texts(wanted, "ports"), text(wanted, "portRange"), boolean(wanted, "allPorts")
	set := 0
	for _, is := range []bool{len(ports) > 0, span != "", all} {
		if is {
			set++
		}
	}
	withPool := wanted["target"] != nil
	if set > 1 || (withPool && (len(ports) > 0 || all)) || (internal && (span != "" || set == 0)) {
		return broken("forwarding/port-fields", "Invalid combination of 'portRange', 'ports' and 'allPorts'.")
	}
	if len(ports) > 5 {
		return broken("forwarding/ports", "Invalid value for field 'resource.ports': at most 5 ports.")
	}
	for _, port := range ports {
		if low, high, ok := portRange(port, 1); !ok || low != high {
			return broken("forwarding/ports", "Invalid value for field 'resource.ports': '%s'.", port)
		}
	}
	if protocol := text(wanted, "IPProtocol"); span == "" && set == 0 && (protocol == "TCP" || protocol == "UDP") {
		span = "1-65535" // guess: the document says only that the field may be left out
	}
	if span != "" {
		low, high, ok := portRange(span, 1)
		if !ok {
			return broken("forwarding/ports", "Invalid value for field 'resource.portRange': '%s'.", span)
		}
		wanted["portRange"] = fmt.Sprintf("%d-%d", low, high)
	}
	return nil
}

// checkVIP checks the address, or gives one.
func checkVIP(c *call, wanted fields, internal bool) error {
	address := text(wanted, "IPAddress")
	reserved := c.store.byPath[c.store.pathOf(address, c.project.id)]
	if reserved == nil && address != "" && namePattern.MatchString(address) {
		reserved = c.store.byPath["projects/"+c.project.id+"/"+c.scope+"/addresses/"+address]
	}
	if reserved != nil {
		address = text(reserved.fields, "address")
	} else {
		reserved = c.store.reserved(c.project.id, address)
	}
	wanted["IPAddress"] = address
	if internal {
		return checkInternalVIP(c, wanted, reserved)
	}
	switch {
	case wanted["subnetwork"] != nil || wanted["network"] != nil:
		return broken("forwarding/subnetwork", "Invalid value for field 'resource.subnetwork': external rules have none.")
	case address == "":
		wanted["IPAddress"] = c.store.freeExternal(c.project.id, c.region(), text(wanted, "networkTier"))
		return nil
	case reserved == nil || reserved.scope() != c.scope || text(reserved.fields, "addressType") != "EXTERNAL":
		return broken("forwarding/address", "Invalid value for field 'resource.IPAddress': '%s'. The specified IP address is not reserved in the region.", address)
	case text(reserved.fields, "networkTier") != text(wanted, "networkTier"):
		return broken("forwarding/address-tier", "Invalid value for field 'resource.networkTier': '%s'. The address has %s.", text(wanted, "networkTier"), text(reserved.fields, "networkTier"))
	}
	return checkTaken(c, wanted, false)
}

func checkInternalVIP(c *call, wanted fields, reserved *resource) error {
	subnet := c.subnetFor(wanted)
	if subnet == nil || subnet.scope() != c.scope {
		return broken("forwarding/subnetwork", "Invalid value for field 'resource.subnetwork': '%s'. A subnetwork of the region must be specified.", text(wanted, "subnetwork"))
	}
	wanted["subnetwork"], wanted["network"] = c.store.link(subnet.path), subnet.fields["network"]
	address := text(wanted, "IPAddress")
	if address == "" {
		wanted["IPAddress"] = c.store.freeInternal(subnet)
		return nil
	}
	if !inside(subnet, address) {
		return broken("forwarding/address-range", "Invalid value for field 'resource.IPAddress': '%s'. Requested internal IP address is outside the subnetwork CIDR range.", address)
	}
	return checkTaken(c, wanted, reserved == nil || text(reserved.fields, "purpose") != "SHARED_LOADBALANCER_VIP")
}

// checkTaken refuses an address that others have; alone says that any other is one too many.
func checkTaken(c *call, wanted fields, alone bool) error {
	address := text(wanted, "IPAddress")
	for _, owner := range c.store.ownersOf(c.project.id, address) {
		if owner.kind.name == "addresses" {
			continue
		}
		if owner.kind.name == "instances" || alone || overlap(owner.fields, wanted) {
			return broken("forwarding/address-taken", "Invalid value for field 'resource.IPAddress': '%s'. Specified IP address is in-use and would result in a conflict.", address)
		}
	}
	return nil
}

// overlap says whether two rules of one address want the same traffic.
func overlap(a, b fields) bool {
	if text(a, "IPProtocol") != text(b, "IPProtocol") {
		return false
	}
	spans := func(f fields) []string {
		if span := text(f, "portRange"); span != "" {
			return []string{span}
		}
		if ports := texts(f, "ports"); len(ports) > 0 {
			return ports
		}
		return []string{"1-65535"}
	}
	for _, one := range spans(a) {
		for _, other := range spans(b) {
			low, high, _ := portRange(one, 0)
			from, to, _ := portRange(other, 0)
			if low <= to && from <= high {
				return true
			}
		}
	}
	return false
}

func setTarget(c *call) (any, error) {
	return c.edit(func(wanted fields) error {
		target, err := c.resolve(text(c.body, "target"), "target", reference{kinds: []string{"targetPools", "regionBackendServices"}})
		if err != nil {
			return err
		}
		field := map[string]string{"targetPools": "target", "regionBackendServices": "backendService"}[target.kind.name]
		if wanted[field] == nil {
			return broken("forwarding/same-type", "Invalid value for field 'target': '%s'. The new target is of another type.", target.path)
		}
		if target.scope() != c.scope {
			return broken("forwarding/region", "Invalid value for field 'target': '%s'. The target is in another region.", target.path)
		}
		wanted[field] = c.store.link(target.path)
		return nil
	})
}

// contains says whether a list of links names a path.
func (t *store) contains(links []string, project, path string) bool {
	return slices.ContainsFunc(links, func(link string) bool { return t.pathOf(link, project) == path })
}
