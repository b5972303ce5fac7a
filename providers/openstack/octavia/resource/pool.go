package resource

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// TheBalancer stands for the id of the balancer that the other resources belong to.
func TheBalancer(spec cloud.Spec) cloud.IDOf {
	return cloud.IDOf{Kind: kindBalancer, Key: spec.Ref.Owner.String()}
}

// ThePool stands for the id of the pool of that protocol behind a listener. A pool of another
// protocol is another pool, so that it can be made and filled before the listener leads to it.
func ThePool(listener, protocol string) cloud.IDOf {
	return cloud.IDOf{Kind: kindPool, Key: strings.TrimSpace(listener + " " + protocol)}
}

// Find returns the resource in a list, nil when it is not there.
func Find(list []cloud.Resource, ref cloud.IDOf) *cloud.Resource {
	at := slices.IndexFunc(list, func(r cloud.Resource) bool { return r.Ref() == ref })
	if at < 0 {
		return nil
	}
	return &list[at]
}

// presentListeners are listeners with their pools, and the Service's pools that nothing leads to:
//
//	pool of  several listeners  –                  nothing of it: it is not ours to change
//	         a listener         of that protocol   is its pool
//	         none               with its name      is its pool, unless it has one
//	         none               any other          is surplus
func (c *Composite) presentListeners(s *object.Snapshot, listeners []object.Listener, change cloud.Change) []cloud.Resource {
	var list []cloud.Resource
	for i, l := range listeners {
		if p, exists := s.Pools[l.Pool]; exists && c.isPoolOf(p, l.Key(), change) {
			list = append(list, presentPool(s, p, ThePool(l.Key(), p.Protocol), change.Spec)...)
		}
		list = append(list, c.presentListener(&listeners[i], list, change.Spec))
	}
	for _, p := range c.Owners.UnusedPools(s, change.Spec.Ref.Owner) {
		ref := ThePool(p.Name, p.Protocol)
		for i, port := range change.Spec.Ports {
			if p.Name == c.Rules.Marks.ChildName("pool", i, change.Spec.Ref.Owner) {
				ref = ThePool(port.Listener().Key(), p.Protocol)
			}
		}
		if Find(list, ref) != nil {
			ref = ThePool(ref.Key, p.ID)
		}
		list = append(list, presentPool(s, p, ref, change.Spec)...)
	}
	return list
}

// isPoolOf reports whether a pool is of a listener alone, and ours if it is not the one wanted there.
func (c *Composite) isPoolOf(p object.Pool, listener string, change cloud.Change) bool {
	if p.Shared() || change.After == nil {
		return !p.Shared()
	}
	wanted := listenerAt(change.After.Listeners, listener)
	return wanted == nil || p.Protocol == string(wanted.TargetProtocol) || c.Owners.IsOurPool(p, change.Spec.Ref.Owner)
}

// presentPool is a pool with its members and its monitor.
func presentPool(s *object.Snapshot, p object.Pool, ref cloud.IDOf, spec cloud.Spec) []cloud.Resource {
	list := []cloud.Resource{{Kind: kindPool, Key: ref.Key, ID: p.ID, Native: p, Fields: map[string]any{
		"loadbalancer_id": TheBalancer(spec), "name": p.Name, "protocol": p.Protocol,
		"lb_algorithm": p.Method, "session_persistence": persistenceBody(p.PersistenceType()),
	}}}
	for _, m := range s.Members[p.ID] {
		list = append(list, MemberResource(m, ref))
	}
	if m, exists := s.Monitors[p.ID]; exists {
		list = append(list, cloud.Resource{Kind: kindMonitor, Key: ref.Key, ID: m.ID, Native: m, Fields: map[string]any{
			"pool_id": ref, "type": m.Type, "name": m.Name, "delay": m.Delay, "timeout": m.Timeout,
			"max_retries": m.Retries, "max_retries_down": m.RetriesDown, "url_path": m.Path,
		}})
	}
	return list
}

// wantedBehind is what has to be behind a listener. have is its pool, nil when there is none.
func (c *Composite) wantedBehind(s *object.Snapshot, l cloud.Listener, change cloud.Change, have *cloud.Resource) []cloud.Resource {
	spec, ref := change.Spec, ThePool(l.Key(), string(l.TargetProtocol))
	index := portIndex(l, spec)
	name := c.Rules.Marks.ChildName("pool", index, spec.Ref.Owner)
	var members []object.Member
	check := c.Rules.Marks.ChildName("monitor", index, spec.Ref.Owner)
	if have != nil {
		name = c.Rules.Marks.NameOf("pool", have.Native.(object.Pool).Name, spec.Ref.Owner)
		members = s.Members[have.ID]
		if m, exists := s.Monitors[have.ID]; exists {
			check = c.Rules.Marks.NameOf("monitor", m.Name, spec.Ref.Owner)
		}
	}
	list := []cloud.Resource{{Kind: kindPool, Key: ref.Key, Fields: map[string]any{
		"loadbalancer_id": TheBalancer(spec), "name": name, "protocol": string(l.TargetProtocol),
		"lb_algorithm": l.ProviderFields[desired.FieldMethod], "session_persistence": persistenceBody(l.ProviderFields[desired.FieldPersistence]),
	}}}
	list = append(list, c.memberResources(s, l, change, ref, members)...)
	if l.Health != nil {
		list = append(list, cloud.Resource{Kind: kindMonitor, Key: ref.Key, Fields: monitorFields(l.Health, check, ref)})
	}
	return list
}

// wantedMeanwhile are the members of the pool that a listener leads to although it should lead to
// another one: that serves until the other one does.
func (c *Composite) wantedMeanwhile(s *object.Snapshot, l cloud.Listener, change cloud.Change, present []cloud.Resource) []cloud.Resource {
	have := s.ListenerOf(l.Key())
	if have == nil || s.Pools[have.Pool].Protocol == string(l.TargetProtocol) {
		return nil
	}
	var list []cloud.Resource
	for _, p := range present {
		if p.Kind == kindPool && p.ID == have.Pool {
			list = c.memberResources(s, l, change, p.Ref(), s.Members[p.ID])
		}
	}
	for i := range list {
		list[i].WhileRefused = true
	}
	return list
}

func monitorFields(h *cloud.Health, name string, behind cloud.IDOf) map[string]any {
	fields := map[string]any{
		"pool_id": behind, "name": name, "type": string(h.Protocol), "delay": int(h.Interval / time.Second), "timeout": int(h.Timeout / time.Second),
		"max_retries": h.Healthy, "max_retries_down": h.Unhealthy,
	}
	if h.Path != "" {
		fields["url_path"], fields["http_method"], fields["expected_codes"] = h.Path, "GET", "200"
	}
	return fields
}

// persistenceBody is nil for none.
func persistenceBody(kind string) any {
	if kind == "" {
		return nil
	}
	return map[string]string{"type": kind}
}

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
