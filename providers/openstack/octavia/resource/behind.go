package resource

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// wantedBehind is what has to be behind a listener.
func (c *Composite) wantedBehind(s *object.Snapshot, l cloud.Listener, change cloud.Change, pools []cloud.Resource, subnet string) []cloud.Resource {
	in, ref := change.Input, ThePool(l.Key(), string(l.TargetProtocol))
	index := portIndex(l, in.Spec)
	name := c.Rules.OwnershipTags.ChildName("pool", index, in.Owner)
	var members []object.Member
	check := c.Rules.OwnershipTags.ChildName("monitor", index, in.Owner)
	if have := Find(pools, ref); have != nil {
		name = c.Rules.OwnershipTags.NameOf("pool", fieldName.Of(*have), in.Owner)
		members = s.Members[have.ID]
		if m, exists := s.Monitors[have.ID]; exists {
			check = c.Rules.OwnershipTags.NameOf("monitor", m.Name, in.Owner)
		}
	}
	list := []cloud.Resource{{Kind: kindPool, Key: ref.Key, Fields: cloud.FieldsOf(
		fieldBalancer.Is(cloud.To(TheBalancer(in.Spec))), fieldName.Is(name), fieldProtocol.Is(string(l.TargetProtocol)),
		fieldAlgorithm.Is(l.ProviderFields[desired.FieldMethod]), fieldPersistence.Is(persistenceBody(l.ProviderFields[desired.FieldPersistence])),
	)}}
	if l.Health != nil {
		list = append(list, cloud.Resource{Kind: kindMonitor, Key: ref.Key, Fields: monitorFields(*l.Health, check, ref)})
	}
	return append(list, memberResources(l, change, ref, members, subnet)...)
}

func memberResources(l cloud.Listener, change cloud.Change, pool cloud.IDOf, present []object.Member, subnet string) []cloud.Resource {
	var list []cloud.Resource
	for _, m := range WantedMembers(l, change, present, subnet) {
		r := MemberResource(m, pool)
		r.Fields, r.Machine = r.Fields.With(fieldName.Is(m.Name), fieldSubnet.Is(m.Subnet)), m.Machine
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
	onIPv6 := change.After.ProviderFields[desired.FieldFamily] == desired.Family(true)
	for _, id := range change.After.Targets {
		machine := machines[id]
		address := desired.ServingAddress(machine, onIPv6, func(address string) bool { return isMember(present, address) })
		if address == "" { // where no node will do, those that serve stay
			address = presentAddress(machine, present)
		}
		add(object.Member{
			Name: tag.Cut(machine.NodeName), Address: address, Port: l.TargetPort, MonitorPort: desired.MonitorPort(l, in.Spec), Subnet: subnet, Weight: 1, Enabled: true,
			Machine: id,
		})
	}
	for _, id := range change.After.Targets {
		if at := slices.IndexFunc(present, func(m object.Member) bool { return id.Unknown() && m.Address == desired.MemberOf(id) }); at >= 0 {
			add(present[at])
		}
	}
	return list
}

// presentAddress is the address at which a machine is a member, "" where it is none.
func presentAddress(machine cloud.Target, present []object.Member) string {
	for _, a := range machine.Addresses {
		if isMember(present, a.Address) {
			return a.Address
		}
	}
	return ""
}

func isMember(present []object.Member, address string) bool {
	return slices.ContainsFunc(present, func(m object.Member) bool { return m.Address == address })
}

// Find returns the resource in a list, nil when it is not there.
func Find(list []cloud.Resource, ref cloud.IDOf) *cloud.Resource {
	at := slices.IndexFunc(list, func(r cloud.Resource) bool { return r.Ref() == ref })
	if at < 0 {
		return nil
	}
	return &list[at]
}
