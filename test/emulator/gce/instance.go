package gce

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var instanceRules = []Rule{
	{ID: "instance/machine-type", Where: "instances.insert", Text: "machineType is a URL of the instance's zone", Source: fromDocument},
	{ID: "instance/interface", Where: "instances.insert", Text: "there is an interface, and its network has a subnetwork in the region", Source: fromVendor},
	{ID: "instance/address", Where: "instances.insert", Text: "networkIP is free and in the subnetwork's range", Source: fromDocument},
	{ID: "instance/alias", Where: "instances.insert", Text: "an alias range names a secondary range of the subnetwork", Source: fromDocument},
	{ID: "instance/tags", Where: "instances.setTags", Text: "tags are names of RFC 1035", Source: fromDocument},
}

var instances = &kind{
	name: "instances", schema: "Instance", metric: "INSTANCES",
	references: []reference{
		{field: "networkInterfaces[].network", kinds: []string{"networks"}},
		{field: "networkInterfaces[].subnetwork", kinds: []string{"subnetworks"}},
	},
	check: checkInstance,
	removed: func(t *store, r *resource) { // groups forget the machine (vendor), target pools keep its URL (guess)
		for _, k := range []string{"instanceGroups", "networkEndpointGroups"} {
			for _, group := range t.of(r.project(), k, r.scope()) {
				left := slices.DeleteFunc(slices.Clone(group.members), func(m member) bool { return m.instance == r.path })
				if len(left) != len(group.members) {
					t.put(&resource{kind: group.kind, path: group.path, fields: group.fields, members: left, uses: group.uses})
				}
			}
		}
	},
}

var machineTypePath = regexp.MustCompile(`(?:^|/)zones/([-a-z0-9]+)/machineTypes/[-a-z0-9]+$`)

func checkInstance(c *call, wanted, _ fields) error {
	zone := strings.TrimPrefix(c.scope, "zones/")
	match := machineTypePath.FindStringSubmatch(text(wanted, "machineType"))
	if match == nil || match[1] != zone {
		return broken("instance/machine-type", "Invalid value for field 'resource.machineType': '%s'.", text(wanted, "machineType"))
	}
	wanted["machineType"] = c.store.link(c.store.pathOf(text(wanted, "machineType"), c.project.id))
	nics := objects(wanted, "networkInterfaces")
	if len(nics) == 0 {
		return broken("instance/interface", "At least one network interface is required.")
	}
	for i, nic := range nics {
		if err := checkInterface(c, nic, i); err != nil {
			return err
		}
	}
	wanted["status"], wanted["lastStartTimestamp"] = "RUNNING", c.store.timestamp()
	wanted["cpuPlatform"] = "Intel Broadwell"
	preset(wanted, "canIpForward", false)
	preset(wanted, "deletionProtection", false)
	preset(wanted, "tags", fields{})
	preset(wanted, "scheduling", fields{"onHostMaintenance": "MIGRATE", "automaticRestart": true, "preemptible": false})
	return nil
}

func checkInterface(c *call, nic fields, index int) error {
	subnet := c.subnetFor(nic)
	if subnet == nil || subnet.scope() != "regions/"+c.region() {
		return broken("instance/interface", "Invalid value for field 'resource.networkInterfaces[%d]': the network has no subnetwork in the region.", index)
	}
	nic["name"] = fmt.Sprintf("nic%d", index)
	nic["kind"] = "compute#networkInterface"
	nic["network"], nic["subnetwork"] = subnet.fields["network"], c.store.link(subnet.path)
	preset(nic, "stackType", "IPV4_ONLY")
	address := text(nic, "networkIP")
	if address == "" {
		nic["networkIP"] = c.store.freeInternal(subnet)
	} else if !inside(subnet, address) || len(c.store.ownersOf(c.project.id, address)) > 0 {
		return broken("instance/address", "Invalid value for field 'resource.networkInterfaces[%d].networkIP': '%s'.", index, address)
	}
	for _, access := range objects(nic, "accessConfigs") {
		access["kind"] = "compute#accessConfig"
		preset(access, "type", "ONE_TO_ONE_NAT")
		preset(access, "name", "external-nat")
		preset(access, "networkTier", "PREMIUM")
		preset(access, "natIP", c.store.freeExternal(c.project.id, c.region(), text(access, "networkTier")))
	}
	for _, alias := range objects(nic, "aliasIpRanges") {
		name := text(alias, "subnetworkRangeName")
		known := slices.ContainsFunc(objects(subnet.fields, "secondaryIpRanges"), func(r fields) bool { return text(r, "rangeName") == name })
		if name != "" && !known {
			return broken("instance/alias", "Invalid value for field 'resource.networkInterfaces[%d].aliasIpRanges': there is no range '%s'.", index, name)
		}
	}
	nic["fingerprint"] = hash(nic)
	return nil
}

// edit replaces fields of an object in an operation of its own.
func (c *call) edit(change func(wanted fields) error) (any, error) {
	return c.operateOn(func(now *resource) (func(), error) {
		next := &resource{kind: now.kind, path: now.path, fields: clone(now.fields).(fields), members: now.members}
		if err := change(next.fields); err != nil {
			return nil, err
		}
		uses, err := c.canonical(next.fields)
		if err != nil {
			return nil, err
		}
		next.uses = uses
		fingerprint(next.kind, next.fields)
		return func() { c.store.put(next) }, nil
	})
}

// turn switches a machine on or off.
func turn(status, stamp string) handler {
	return func(c *call) (any, error) {
		return c.edit(func(wanted fields) error {
			wanted["status"], wanted[stamp] = status, c.store.timestamp()
			return nil
		})
	}
}

func setTags(c *call) (any, error) {
	return c.edit(func(wanted fields) error {
		tags, _ := wanted["tags"].(fields)
		if err := c.fingerprinted("fingerprint", tags); err != nil {
			return err
		}
		for _, tag := range texts(c.body, "items") {
			if !namePattern.MatchString(tag) {
				return broken("instance/tags", "Invalid value for field 'tags': '%s'.", tag)
			}
		}
		wanted["tags"] = fields{"items": anys(texts(c.body, "items"))}
		return nil
	})
}
