package resource

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// WantedMembers are the members of a listener's pool. A target of which only the address is known
// stays as it is. Without a node port there is nothing to connect to.
func (c *Composite) WantedMembers(l cloud.Listener, change cloud.Change, present []object.Member, subnet string) []object.Member {
	spec := change.Spec
	var list []object.Member
	if l.TargetPort == 0 {
		return nil
	}
	machines := make(map[cloud.InstanceID]cloud.Target, len(spec.Candidates))
	for _, t := range spec.Candidates {
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
			Name: mark.Cut(machine.NodeName), Address: desired.MemberAddress(machine, desired.OnIPv6(spec)), Port: l.TargetPort, MonitorPort: desired.MonitorPort(l, spec), Subnet: subnet, Weight: 1, Enabled: true,
		})
	}
	for _, id := range change.After.Targets {
		if at := slices.IndexFunc(present, func(m object.Member) bool { return id.Unknown() && m.Address == desired.MemberOf(id) }); at >= 0 {
			add(present[at])
		}
	}
	return list
}

// memberSubnet is the subnet of the members; without one of their own it is the balancer's.
func (c *Composite) memberSubnet(s *object.Snapshot, spec cloud.Spec) string {
	return cmp.Or(c.Rules.PlacementOf(spec).MemberSubnet, s.LB.Subnet)
}

func (c *Composite) memberResources(s *object.Snapshot, l cloud.Listener, change cloud.Change, pool cloud.IDOf, present []object.Member) []cloud.Resource {
	var list []cloud.Resource
	for _, m := range c.WantedMembers(l, change, present, c.memberSubnet(s, change.Spec)) {
		r := MemberResource(m, pool)
		r.Fields["name"], r.Fields["subnet_id"] = m.Name, m.Subnet
		list = append(list, r)
	}
	return list
}

// memberKind writes all members of a pool at once, or one by one for providers that can't take
// several.
func (c *Composite) memberKind() cloud.ResourceKind {
	kind := cloud.ResourceKind{Name: kindMember, Settles: settles}
	if !c.Rules.Config.Serial {
		kind.Batch = "pool_id"
		kind.Write = func(ctx context.Context, pool string, wanted []cloud.Resource) error {
			bodies := []map[string]any{}
			for _, m := range wanted {
				bodies = append(bodies, memberBody(m))
			}
			return c.put(ctx, "members", bodies, object.PathPools, pool, "members")
		}
		return kind
	}
	path := func(r cloud.Resource) []string {
		return []string{object.PathPools, fmt.Sprint(r.Fields["pool_id"]), "members"}
	}
	kind.Create = func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
		return c.post(ctx, "member", memberBody(wanted), path(wanted)...)
	}
	kind.Update = func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
		return c.put(ctx, "member", api.Chosen(wanted.Fields, fields), append(path(present), present.ID)...)
	}
	kind.Delete = func(ctx context.Context, present cloud.Resource) error {
		return api.Remove(ctx, c.Client, append(path(present), present.ID)...)
	}
	return kind
}

// MemberResource is a member with what is compared of it. A port of its own for the check is taken
// away by a null.
func MemberResource(m object.Member, behind cloud.IDOf) cloud.Resource {
	fields := map[string]any{
		"pool_id": behind, "address": m.Address, "protocol_port": m.Port, "weight": m.Weight, "backup": m.Backup, "admin_state_up": m.Enabled, "monitor_port": nil,
	}
	if m.MonitorPort != 0 {
		fields["monitor_port"] = m.MonitorPort
	}
	return cloud.Resource{Kind: kindMember, Key: fmt.Sprintf("%s %s:%d", behind.Key, m.Address, m.Port), ID: m.ID, Fields: fields}
}

func memberBody(m cloud.Resource) map[string]any {
	body := maps.Clone(m.Fields)
	delete(body, "pool_id")
	if body["subnet_id"] == "" {
		delete(body, "subnet_id")
	}
	return body
}
