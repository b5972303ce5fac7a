package resource

import (
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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
