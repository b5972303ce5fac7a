package resource

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
)

// presentListeners are listeners with their pools, and the Service's pools that nothing leads to:
//
//	pool of  several listeners  –                  nothing of it: it is not ours to change
//	         a listener         of that protocol   is its pool
//	         none               with its name      is its pool, unless it has one
//	         none               any other          is surplus
func (c *Composite) presentListeners(s *object.Snapshot, listeners []object.Listener, change cloud.Change) []cloud.Resource {
	claim := owner.Read(c.Rules, s, change.Spec)
	var list []cloud.Resource
	for i, l := range listeners {
		if p, exists := s.Pools[l.Pool]; exists && isPoolOf(p, l.Key(), claim, change) {
			list = append(list, presentPool(s, p, ThePool(l.Key(), p.Protocol), change.Spec)...)
		}
		list = append(list, c.presentListener(&listeners[i], list, change.Spec))
	}
	for _, p := range claim.UnusedPools() {
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
// Users can make several listeners lead to one pool: then it is not ours to change.
func isPoolOf(p object.Pool, listener string, claim owner.Claim, change cloud.Change) bool {
	if shared := len(p.Listeners) > 1; shared || change.After == nil {
		return !shared
	}
	wanted := listenerAt(change.After.Listeners, listener)
	return wanted == nil || p.Protocol == string(wanted.TargetProtocol) || claim.IsOurPool(p)
}

// presentPool is a pool with its members and its monitor.
func presentPool(s *object.Snapshot, p object.Pool, ref cloud.IDOf, spec cloud.Spec) []cloud.Resource {
	list := []cloud.Resource{{Kind: kindPool, Key: ref.Key, ID: p.ID, Native: p, Fields: map[string]any{
		"loadbalancer_id": TheBalancer(spec), "name": p.Name, "protocol": p.Protocol,
		"lb_algorithm": p.Method, "session_persistence": persistenceBody(string(p.Persistence)),
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

func (c *Composite) presentListener(l *object.Listener, pools []cloud.Resource, spec cloud.Spec) cloud.Resource {
	headers := map[string]string{}
	maps.Copy(headers, l.InsertHeaders)
	r := cloud.Resource{Kind: kindListener, Key: l.Key(), ID: l.ID, Fields: map[string]any{
		"loadbalancer_id": TheBalancer(spec), "name": l.Name, "protocol": l.Protocol, "protocol_port": l.Port,
		"connection_limit": l.ConnectionLimit, "default_tls_container_ref": l.TLSRef, "insert_headers": headers,
		"timeout_client_data": l.ClientData, "timeout_member_connect": l.MemberConnect,
		"timeout_member_data": l.MemberData, "timeout_tcp_inspect": l.TCPInspect,
		"tags": slices.Concat([]string{}, l.Tags), "default_pool_id": l.Pool,
	}}
	if wanted, managed := c.Rules.WantedAt(l.Key(), spec).ProviderFields[desired.FieldAllowed]; managed {
		allowed := desired.ObservedAllowed(*l, desired.OnIPv6(spec), wanted)
		r.Fields["allowed_cidrs"] = cidrList(allowed)
	}
	if c.Rules.Marks.IsChild("trial", l.Name, spec.Ref.Owner) {
		r.Key = trialKey(l.Name, l.Protocol, l.TLSRef)
	}
	for _, p := range pools {
		if p.Kind == kindPool && p.ID == l.Pool {
			r.Fields["default_pool_id"] = p.Ref()
		}
	}
	return r
}

// cidrList is empty, and not nothing, where everybody may connect: nothing would change nothing.
func cidrList(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}

func trialKey(name, protocol, tls string) string {
	return strings.TrimSpace(name + " " + protocol + " " + tls)
}

func listenerAt(list []cloud.Listener, key string) *cloud.Listener {
	at := slices.IndexFunc(list, func(l cloud.Listener) bool { return l.Key() == key })
	if at < 0 {
		return nil
	}
	return &list[at]
}

// persistenceBody is nil for none.
func persistenceBody(kind string) any {
	if kind == "" {
		return nil
	}
	return map[string]string{"type": kind}
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
