package gce

import (
	"slices"
	"strings"
)

var groupRules = []Rule{
	{ID: "group/zone", Where: "instanceGroups.addInstances instanceGroups.removeInstances", Text: "instances are in the group's zone", Source: fromVendor},
	{ID: "group/network", Where: "instanceGroups.addInstances", Text: "all instances of a group are in one network and subnetwork, by their first interface", Source: fromDocument},
	{ID: "group/batch", Where: "instanceGroups.addInstances instanceGroups.removeInstances", Text: "at most 1,000 instances in a request", Source: fromUpstream},
	{ID: "group/member", Where: "instanceGroups.addInstances", Text: "what is added is no member yet", Source: guess, IfWrong: "an addition of what is there succeeds, and a driver may send it twice", Code: "memberAlreadyExists"},
	{ID: "group/no-member", Where: "instanceGroups.removeInstances", Text: "what is removed is a member", Source: guess, IfWrong: "a removal of what is not there succeeds, and a driver may send it twice", Code: "memberNotFound"},
	{ID: "group/ports", Where: "instanceGroups.insert instanceGroups.setNamedPorts", Text: "named ports have a name and a port from 1 to 65535", Source: fromDocument},
	{ID: "group/fingerprint", Where: "instanceGroups.setNamedPorts", Text: "a fingerprint is the current one", Source: fromDocument, Status: 412, Code: "conditionNotMet"},
}

var groups = &kind{
	name: "instanceGroups", schema: "InstanceGroup", metric: "INSTANCE_GROUPS",
	references: []reference{{field: "network", kinds: []string{"networks"}}, {field: "subnetwork", kinds: []string{"subnetworks"}}},
	check:      func(_ *call, wanted, _ fields) error { return checkNamedPorts(wanted) },
	view: func(t *store, r *resource, out fields) {
		out["size"] = len(r.members)
		if len(r.members) > 0 {
			out["network"], out["subnetwork"] = t.nicOf(r.members[0].instance)
		}
	},
}

// nicOf returns the network and the subnetwork of a machine's first interface.
func (t *store) nicOf(path string) (network, subnetwork string) {
	if machine := t.byPath[path]; machine != nil {
		nics := objects(machine.fields, "networkInterfaces")
		return text(nics[0], "network"), text(nics[0], "subnetwork")
	}
	return "", ""
}

func checkNamedPorts(wanted fields) error {
	for _, port := range objects(wanted, "namedPorts") {
		if n := number(port, "port"); text(port, "name") == "" || n < 1 || n > 65535 {
			return broken("group/ports", "Invalid value for field 'resource.namedPorts': '%v'.", port)
		}
	}
	return nil
}

// editMembers replaces the members of a group or NEG in an operation.
func (c *call) editMembers(change func(r *resource) ([]member, error)) (any, error) {
	return c.operateOn(func(now *resource) (func(), error) {
		members, err := change(now)
		if err != nil {
			return nil, err
		}
		return func() {
			c.store.put(&resource{kind: now.kind, path: now.path, fields: now.fields, members: members, uses: now.uses})
		}, nil
	})
}

// sentMembers reads the instances of a request.
func sentMembers(c *call) ([]string, error) {
	sent := objects(c.body, "instances")
	if len(sent) > 1000 {
		return nil, broken("group/batch", "Invalid value for field 'instances': at most 1000.")
	}
	var paths []string
	for _, element := range sent {
		machine, err := c.resolve(text(element, "instance"), "instances", reference{kinds: []string{"instances"}})
		if err != nil {
			return nil, err
		}
		if machine.scope() != c.scope {
			return nil, broken("group/zone", "Invalid value for field 'instances': '%s' is not in %s.", machine.path, c.scope)
		}
		paths = append(paths, machine.path)
	}
	return paths, nil
}

func addMembers(c *call) (any, error) {
	return c.editMembers(func(group *resource) ([]member, error) {
		paths, err := sentMembers(c)
		if err != nil {
			return nil, err
		}
		members := slices.Clone(group.members)
		for _, path := range paths {
			if slices.ContainsFunc(members, func(m member) bool { return m.instance == path }) {
				return nil, broken("group/member", "'%s' is already a member of '%s'", path, group.path)
			}
			network, subnet := c.store.nicOf(path)
			if len(members) > 0 {
				if n, s := c.store.nicOf(members[0].instance); n != network || s != subnet {
					return nil, broken("group/network", "'%s' is not in the subnetwork of '%s'", path, group.path)
				}
			}
			if wanted := text(group.fields, "network"); wanted != "" && wanted != network {
				return nil, broken("group/network", "'%s' is not in the network of '%s'", path, group.path)
			}
			members = append(members, member{instance: path})
		}
		return members, checkBalanced(c, group, members)
	})
}

// checkBalanced refuses new members that are in another load-balanced group.
func checkBalanced(c *call, group *resource, members []member) error {
	balanced := false
	for user := range c.store.users[group.path] {
		balanced = balanced || strings.Contains(user, "/backendServices/")
	}
	if !balanced {
		return nil
	}
	return checkOneGroup(c, map[string]bool{group.path: true}, map[string][]member{group.path: members})
}

func removeMembers(c *call) (any, error) {
	return c.editMembers(func(group *resource) ([]member, error) {
		paths, err := sentMembers(c)
		if err != nil {
			return nil, err
		}
		members := slices.Clone(group.members)
		for _, path := range paths {
			at := slices.IndexFunc(members, func(m member) bool { return m.instance == path })
			if at < 0 {
				return nil, broken("group/no-member", "'%s' is not a member of '%s'", path, group.path)
			}
			members = slices.Delete(members, at, at+1)
		}
		return members, nil
	})
}

// listMembers answers a page of a group's instances; instanceState RUNNING leaves others out.
func listMembers(c *call) (any, error) {
	group, err := c.found()
	if err != nil {
		return nil, err
	}
	var all []*resource
	for _, m := range group.members {
		status := "TERMINATED"
		if machine := c.store.byPath[m.instance]; machine != nil {
			status = text(machine.fields, "status")
		}
		if text(c.body, "instanceState") == "RUNNING" && status != "RUNNING" {
			continue
		}
		element := fields{"instance": c.store.link(m.instance), "status": status}
		if ports := list(group.fields, "namedPorts"); len(ports) > 0 {
			element["namedPorts"] = ports
		}
		all = append(all, &resource{kind: &kind{}, path: m.instance, fields: element})
	}
	return c.pageOf(all)
}

// pageOf answers a page of values that are no objects.
func (c *call) pageOf(all []*resource) (any, error) {
	entries, err := c.entries(all)
	if err != nil {
		return nil, err
	}
	part, token, err := c.page(entries)
	if err != nil {
		return nil, err
	}
	out := c.envelope(token)
	if len(part) > 0 {
		items := []any{}
		for _, e := range part {
			items = append(items, e.json)
		}
		out["items"] = items
	}
	return out, nil
}

func setNamedPorts(c *call) (any, error) {
	return c.edit(func(wanted fields) error {
		if sent := text(c.body, "fingerprint"); sent != "" && sent != text(wanted, "fingerprint") {
			return broken("group/fingerprint", "Invalid fingerprint.")
		}
		wanted["namedPorts"] = clone(at(c.body, "namedPorts"))
		if wanted["namedPorts"] == nil {
			delete(wanted, "namedPorts")
		}
		return checkNamedPorts(wanted)
	})
}
