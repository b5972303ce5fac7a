package resource

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// addWantedParts adds the listeners that a balancer has to have, with what has to be behind them. It returns the addresses of the
// members.
func (c *Composite) addWantedParts(r *cloud.Resources, s *object.Snapshot, place desired.Place, change cloud.Change) (addresses []string) {
	subnet := cmp.Or(place.MemberSubnet, s.LB.Subnet)
	for _, l := range change.After.Listeners {
		have := presentAt(s, l.Key())
		wanted := cloud.Resource{Kind: kindListener, Key: l.Key(), Fields: c.listenerFields(l, change.Input.Spec, have), Trial: c.trialOf(s, l, change.Input.Spec)}
		if l.TargetProtocol != "" { // else nobody knows what it leads to, and nothing valid can be asked for
			behind := ThePool(l.Key(), string(l.TargetProtocol))
			wanted.Fields["default_pool_id"] = behind
			r.Wanted = append(r.Wanted, c.wantedBehind(s, l, change, r.Present, subnet)...)
		}
		r.Wanted = append(r.Wanted, wanted)
	}
	for _, m := range r.Wanted {
		if m.Kind == kindMember {
			addresses = append(addresses, fmt.Sprint(m.Fields["address"]))
		}
	}
	return addresses
}

// listenerFields are those a listener has to have. What is not ours of it stays, such as tags of
// users and other headers. have is nil where there is none.
func (c *Composite) listenerFields(l cloud.Listener, spec cloud.Spec, have *object.Listener) map[string]any {
	name := c.Rules.OwnershipTags.ChildName("listener", portIndex(l, spec), spec.Owner)
	var tags []string
	headers := map[string]string{}
	if have != nil {
		name, tags = c.Rules.OwnershipTags.NameOf("listener", have.Name, spec.Owner), slices.Concat([]string{}, have.Tags)
		maps.Copy(headers, have.InsertHeaders)
	}
	if l.ProviderFields[desired.FieldOwned] == "true" {
		tags = c.Rules.OwnershipTags.ReplaceOwnershipTags(tags, []string{c.Rules.OwnershipTags.Name(spec.Owner)}, spec.Owner)
	}
	fields := map[string]any{
		"loadbalancer_id": TheBalancer(spec), "name": name, "protocol": string(l.Protocol), "protocol_port": l.Port,
		"connection_limit": atoi(l.ProviderFields[desired.FieldConnectionLimit]), "tags": tags,
	}
	for field, extra := range map[string]string{
		"timeout_client_data": desired.FieldClientData, "timeout_member_connect": desired.FieldMemberConnect,
		"timeout_member_data": desired.FieldMemberData, "timeout_tcp_inspect": desired.FieldTCPInspect,
	} {
		if value, managed := l.ProviderFields[extra]; managed {
			fields[field] = atoi(value)
		}
	}
	if l.Protocol == desired.ProtocolTerminated {
		fields["default_tls_container_ref"] = l.ProviderFields[desired.FieldTLS]
	}
	if value, managed := l.ProviderFields[desired.FieldForwardedFor]; managed {
		delete(headers, desired.ForwardedFor)
		if value == "true" {
			headers[desired.ForwardedFor] = "true"
		}
		fields["insert_headers"] = headers
	}
	if cidrs, managed := l.ProviderFields[desired.FieldAllowed]; managed {
		fields["allowed_cidrs"] = desired.SplitAllowed(cidrs)
	}
	return fields
}

// wantedBehind is what has to be behind a listener. Of a pool that it leads to although it should lead to another one the members
// have to be right too: that serves until the other one does.
func (c *Composite) wantedBehind(s *object.Snapshot, l cloud.Listener, change cloud.Change, pools []cloud.Resource, subnet string) []cloud.Resource {
	in, ref := change.Input, ThePool(l.Key(), string(l.TargetProtocol))
	index := portIndex(l, in.Spec)
	name := c.Rules.OwnershipTags.ChildName("pool", index, in.Owner)
	var members []object.Member
	check := c.Rules.OwnershipTags.ChildName("monitor", index, in.Owner)
	if have := Find(pools, ref); have != nil {
		name = c.Rules.OwnershipTags.NameOf("pool", have.Native.(object.Pool).Name, in.Owner)
		members = s.Members[have.ID]
		if m, exists := s.Monitors[have.ID]; exists {
			check = c.Rules.OwnershipTags.NameOf("monitor", m.Name, in.Owner)
		}
	}
	list := []cloud.Resource{{Kind: kindPool, Key: ref.Key, Fields: map[string]any{
		"loadbalancer_id": TheBalancer(in.Spec), "name": name, "protocol": string(l.TargetProtocol),
		"lb_algorithm": l.ProviderFields[desired.FieldMethod], "session_persistence": persistenceBody(l.ProviderFields[desired.FieldPersistence]),
	}}}
	if l.Health != nil {
		list = append(list, cloud.Resource{Kind: kindMonitor, Key: ref.Key, Fields: monitorFields(*l.Health, check, ref)})
	}
	list = append(list, memberResources(l, change, ref, members, subnet)...)
	serves := presentAt(s, l.Key())
	for _, p := range pools {
		if serves == nil || p.Kind != kindPool || p.ID != serves.Pool || s.Pools[p.ID].Protocol == string(l.TargetProtocol) {
			continue
		}
		for _, member := range memberResources(l, change, p.Ref(), s.Members[p.ID], subnet) {
			member.WhileRefused = true
			list = append(list, member)
		}
	}
	return list
}

func memberResources(l cloud.Listener, change cloud.Change, pool cloud.IDOf, present []object.Member, subnet string) []cloud.Resource {
	var list []cloud.Resource
	for _, m := range WantedMembers(l, change, present, subnet) {
		r := MemberResource(m, pool)
		r.Fields["name"], r.Fields["subnet_id"] = m.Name, m.Subnet
		list = append(list, r)
	}
	return list
}

// WantedMembers are the members of a listener's pool. A target of which only the address is known
// stays as it is. Without a node port there is nothing to connect to.
func WantedMembers(l cloud.Listener, change cloud.Change, present []object.Member, subnet string) []object.Member {
	in := change.Input
	var list []object.Member
	if l.TargetPort == 0 {
		return nil
	}
	machines := make(map[cloud.InstanceID]cloud.Target, len(in.Candidates))
	for _, t := range in.Candidates {
		machines[t.InstanceID] = t
	}
	taken := map[string]bool{} // two targets can have one address: a machine's counts first
	add := func(m object.Member) {
		if m.Address != "" && !taken[m.Address] {
			taken[m.Address] = true
			list = append(list, m)
		}
	}
	for _, id := range change.After.Targets {
		machine := machines[id]
		add(object.Member{
			Name: tag.Cut(machine.NodeName), Address: desired.MemberAddress(machine, desired.OnIPv6(in)), Port: l.TargetPort, MonitorPort: desired.MonitorPort(l, in.Spec), Subnet: subnet, Weight: 1, Enabled: true,
		})
	}
	for _, id := range change.After.Targets {
		if at := slices.IndexFunc(present, func(m object.Member) bool { return id.Unknown() && m.Address == desired.MemberOf(id) }); at >= 0 {
			add(present[at])
		}
	}
	return list
}

// trialOf is a listener like the wanted one at a port nobody uses, and switched off: what the API
// refuses, such as a certificate it cannot read, it has to refuse before the old listener is
// deleted. Octavia takes no second listener at a port. A plain protocol needs no trial.
func (c *Composite) trialOf(s *object.Snapshot, l cloud.Listener, spec cloud.Spec) *cloud.Resource {
	switch l.Protocol {
	case cloud.ProtocolTCP, cloud.ProtocolUDP, cloud.ProtocolSCTP:
		return nil
	}
	fields := c.listenerFields(l, spec, nil)
	name := c.Rules.OwnershipTags.ChildName("trial", portIndex(l, spec), spec.Owner)
	fields["name"], fields["protocol_port"], fields["admin_state_up"] = name, unusedPort(s, spec), false
	return &cloud.Resource{Kind: kindListener, Key: trialKey(name, string(l.Protocol), l.ProviderFields[desired.FieldTLS]), Fields: fields}
}

// unusedPort is the highest port that no listener has and no port of the Service needs.
func unusedPort(s *object.Snapshot, spec cloud.Spec) int {
	port := 65535
	for slices.ContainsFunc(s.Listeners, func(l object.Listener) bool { return l.Port == port }) ||
		slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool { return p.Port == port }) {
		port--
	}
	return port
}

// portIndex is the place of a listener's port in the Service, which its name has.
func portIndex(l cloud.Listener, spec cloud.Spec) int {
	return max(0, slices.IndexFunc(spec.Ports, func(p cloud.Port) bool { return p.Listener().Key() == l.Key() }))
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// presentAt returns the listener with that key, nil when there is none.
func presentAt(s *object.Snapshot, key string) *object.Listener {
	at := slices.IndexFunc(s.Listeners, func(l object.Listener) bool { return l.Key() == key })
	if at < 0 {
		return nil
	}
	return &s.Listeners[at]
}

// Find returns the resource in a list, nil when it is not there.
func Find(list []cloud.Resource, ref cloud.IDOf) *cloud.Resource {
	at := slices.IndexFunc(list, func(r cloud.Resource) bool { return r.Ref() == ref })
	if at < 0 {
		return nil
	}
	return &list[at]
}
