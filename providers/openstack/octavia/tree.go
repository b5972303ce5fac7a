package octavia

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// theBalancer stands for the id of the balancer that the other resources belong to.
func theBalancer(spec cloud.Spec) cloud.IDOf {
	return cloud.IDOf{Kind: kindBalancer, Key: spec.Ref.Owner.String()}
}

// thePool stands for the id of the pool of that protocol behind a listener. A pool of another
// protocol is another pool, so that it can be made and filled before the listener leads to it.
func thePool(listener, protocol string) cloud.IDOf {
	return cloud.IDOf{Kind: kindPool, Key: strings.TrimSpace(listener + " " + protocol)}
}

// listenerResources are the Service's listeners and what is behind them, as they are and as they
// have to be.
func (d *Balancers) listenerResources(s *snapshot, change cloud.Change) (r cloud.Resources) {
	ours := slices.DeleteFunc(slices.Clone(s.listeners), func(l listener) bool {
		trial := d.marks.IsChild("trial", l.Name, change.Spec.Ref.Owner)
		return !trial && listenerAt(change.After.Listeners, l.key()) == nil && !d.isOurs(s, l, change.Spec)
	})
	r.Present = d.presentListeners(s, ours, change)
	for _, l := range change.After.Listeners {
		have := s.listenerOf(l.Key())
		wanted := cloud.Resource{Kind: kindListener, Key: l.Key(), Fields: d.listenerFields(l, change.Spec, have)}
		if l.TargetProtocol != "" { // else nobody knows what it leads to, and nothing valid can be asked for
			behind := thePool(l.Key(), string(l.TargetProtocol))
			wanted.Fields["default_pool_id"] = behind
			r.Wanted = append(r.Wanted, d.wantedBehind(s, l, change, find(r.Present, behind))...)
			r.Wanted = append(r.Wanted, d.wantedMeanwhile(s, l, change, r.Present)...)
		}
		wanted.Trial = d.trialOf(s, l, change.Spec)
		r.Wanted = append(r.Wanted, wanted)
	}
	return r
}

func listenerAt(list []cloud.Listener, key string) *cloud.Listener {
	at := slices.IndexFunc(list, func(l cloud.Listener) bool { return l.Key() == key })
	if at < 0 {
		return nil
	}
	return &list[at]
}

func find(list []cloud.Resource, ref cloud.IDOf) *cloud.Resource {
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
func (d *Balancers) presentListeners(s *snapshot, listeners []listener, change cloud.Change) []cloud.Resource {
	var list []cloud.Resource
	for i, l := range listeners {
		if p, exists := s.pools[l.Pool]; exists && d.isPoolOf(p, l.key(), change) {
			list = append(list, s.presentPool(p, thePool(l.key(), p.Protocol), change.Spec)...)
		}
		list = append(list, d.presentListener(&listeners[i], list, change.Spec))
	}
	for _, p := range d.unusedPools(s, change.Spec.Ref.Owner) {
		ref := thePool(p.Name, p.Protocol)
		for i, port := range change.Spec.Ports {
			if p.Name == d.marks.ChildName("pool", i, change.Spec.Ref.Owner) {
				ref = thePool(port.Listener().Key(), p.Protocol)
			}
		}
		if find(list, ref) != nil {
			ref = thePool(ref.Key, p.ID)
		}
		list = append(list, s.presentPool(p, ref, change.Spec)...)
	}
	return list
}

// isPoolOf reports whether a pool is of a listener alone, and ours if it is not the one wanted there.
func (d *Balancers) isPoolOf(p pool, listener string, change cloud.Change) bool {
	if p.shared() || change.After == nil {
		return !p.shared()
	}
	wanted := listenerAt(change.After.Listeners, listener)
	return wanted == nil || p.Protocol == string(wanted.TargetProtocol) || d.isOurPool(p, change.Spec.Ref.Owner)
}

// presentPool is a pool with its members and its monitor.
func (s *snapshot) presentPool(p pool, ref cloud.IDOf, spec cloud.Spec) []cloud.Resource {
	list := []cloud.Resource{{Kind: kindPool, Key: ref.Key, ID: p.ID, Native: p, Fields: map[string]any{
		"loadbalancer_id": theBalancer(spec), "name": p.Name, "protocol": p.Protocol,
		"lb_algorithm": p.Method, "session_persistence": persistenceBody(p.persistence()),
	}}}
	for _, m := range s.members[p.ID] {
		list = append(list, memberResource(m, ref))
	}
	if m, exists := s.monitors[p.ID]; exists {
		list = append(list, cloud.Resource{Kind: kindMonitor, Key: ref.Key, ID: m.ID, Native: m, Fields: map[string]any{
			"pool_id": ref, "type": m.Type, "name": m.Name, "delay": m.Delay, "timeout": m.Timeout,
			"max_retries": m.Retries, "max_retries_down": m.RetriesDown, "url_path": m.Path,
		}})
	}
	return list
}

func (d *Balancers) presentListener(l *listener, pools []cloud.Resource, spec cloud.Spec) cloud.Resource {
	headers := map[string]string{}
	maps.Copy(headers, l.InsertHeaders)
	r := cloud.Resource{Kind: kindListener, Key: l.key(), ID: l.ID, Fields: map[string]any{
		"loadbalancer_id": theBalancer(spec), "name": l.Name, "protocol": l.Protocol, "protocol_port": l.Port,
		"connection_limit": l.ConnectionLimit, "default_tls_container_ref": l.TLSRef, "insert_headers": headers,
		"timeout_client_data": l.ClientData, "timeout_member_connect": l.MemberConnect,
		"timeout_member_data": l.MemberData, "timeout_tcp_inspect": l.TCPInspect,
		"tags": slices.Concat([]string{}, l.Tags), "default_pool_id": l.Pool,
	}}
	if wanted, managed := d.wantedAt(l.key(), spec).ProviderFields[fieldAllowed]; managed {
		r.Fields["allowed_cidrs"] = cidrList(observedAllowed(*l, onIPv6(spec), wanted))
	}
	if d.marks.IsChild("trial", l.Name, spec.Ref.Owner) {
		r.Key = trialKey(l.Name, l.Protocol, l.TLSRef)
	}
	for _, p := range pools {
		if p.Kind == kindPool && p.ID == l.Pool {
			r.Fields["default_pool_id"] = p.Ref()
		}
	}
	return r
}

// listenerFields are those a listener has to have. What is not ours of it stays, such as tags of
// users and other headers. have is nil where there is none.
func (d *Balancers) listenerFields(l cloud.Listener, spec cloud.Spec, have *listener) map[string]any {
	name := d.marks.ChildName("listener", portIndex(l, spec), spec.Ref.Owner)
	var tags []string
	headers := map[string]string{}
	if have != nil {
		name, tags = have.Name, slices.Concat([]string{}, have.Tags)
		if other := d.marks.Renamed("listener", have.Name, spec.Ref.Owner); other != "" {
			name = other
		}
		maps.Copy(headers, have.InsertHeaders)
	}
	if l.ProviderFields[fieldOwned] == "true" && !d.marks.IsTagged(tags, spec.Ref.Owner) {
		tags = append(slices.DeleteFunc(tags, func(tag string) bool { return d.marks.IsNameOf(tag, spec.Ref.Owner) }), d.marks.Name(spec.Ref.Owner))
	}
	fields := map[string]any{
		"loadbalancer_id": theBalancer(spec), "name": name, "protocol": string(l.Protocol), "protocol_port": l.Port,
		"connection_limit": atoi(l.ProviderFields[fieldConnectionLimit]), "tags": tags,
	}
	for field, extra := range map[string]string{
		"timeout_client_data": fieldClientData, "timeout_member_connect": fieldMemberConnect,
		"timeout_member_data": fieldMemberData, "timeout_tcp_inspect": fieldTCPInspect,
	} {
		if value, managed := l.ProviderFields[extra]; managed {
			fields[field] = atoi(value)
		}
	}
	if l.Protocol == protocolTerminated {
		fields["default_tls_container_ref"] = l.ProviderFields[fieldTLS]
	}
	if value, managed := l.ProviderFields[fieldForwardedFor]; managed {
		delete(headers, forwardedFor)
		if value == "true" {
			headers[forwardedFor] = "true"
		}
		fields["insert_headers"] = headers
	}
	if cidrs, managed := l.ProviderFields[fieldAllowed]; managed {
		fields["allowed_cidrs"] = cidrList(cidrs)
	}
	return fields
}

// trialOf is a listener like the wanted one at a port nobody uses, and switched off: what the API
// refuses, such as a certificate it cannot read, it has to refuse before the old listener is
// deleted. Octavia takes no second listener at a port. A plain protocol needs no trial.
func (d *Balancers) trialOf(s *snapshot, l cloud.Listener, spec cloud.Spec) *cloud.Resource {
	switch l.Protocol {
	case cloud.ProtocolTCP, cloud.ProtocolUDP, cloud.ProtocolSCTP:
		return nil
	}
	fields := d.listenerFields(l, spec, nil)
	name := d.marks.ChildName("trial", portIndex(l, spec), spec.Ref.Owner)
	fields["name"], fields["protocol_port"], fields["admin_state_up"] = name, s.unusedPort(spec), false
	return &cloud.Resource{Kind: kindListener, Key: trialKey(name, string(l.Protocol), l.ProviderFields[fieldTLS]), Fields: fields}
}

func trialKey(name, protocol, tls string) string {
	return strings.TrimSpace(name + " " + protocol + " " + tls)
}

// wantedBehind is what has to be behind a listener. have is its pool, nil when there is none.
func (d *Balancers) wantedBehind(s *snapshot, l cloud.Listener, change cloud.Change, have *cloud.Resource) []cloud.Resource {
	spec, ref := change.Spec, thePool(l.Key(), string(l.TargetProtocol))
	index := portIndex(l, spec)
	name := d.marks.ChildName("pool", index, spec.Ref.Owner)
	var members []member
	check := d.marks.ChildName("monitor", index, spec.Ref.Owner)
	if have != nil {
		name = d.marks.NameOf("pool", have.Native.(pool).Name, spec.Ref.Owner)
		members = s.members[have.ID]
		if m, exists := s.monitors[have.ID]; exists {
			check = d.marks.NameOf("monitor", m.Name, spec.Ref.Owner)
		}
	}
	list := []cloud.Resource{{Kind: kindPool, Key: ref.Key, Fields: map[string]any{
		"loadbalancer_id": theBalancer(spec), "name": name, "protocol": string(l.TargetProtocol),
		"lb_algorithm": l.ProviderFields[fieldMethod], "session_persistence": persistenceBody(l.ProviderFields[fieldPersistence]),
	}}}
	list = append(list, d.memberResources(s, l, change, ref, members)...)
	if l.Health != nil {
		list = append(list, cloud.Resource{Kind: kindMonitor, Key: ref.Key, Fields: monitorFields(l.Health, check, ref)})
	}
	return list
}

// wantedMeanwhile are the members of the pool that a listener leads to although it should lead to
// another one: that serves until the other one does.
func (d *Balancers) wantedMeanwhile(s *snapshot, l cloud.Listener, change cloud.Change, present []cloud.Resource) []cloud.Resource {
	have := s.listenerOf(l.Key())
	if have == nil || s.pools[have.Pool].Protocol == string(l.TargetProtocol) {
		return nil
	}
	var list []cloud.Resource
	for _, p := range present {
		if p.Kind == kindPool && p.ID == have.Pool {
			list = d.memberResources(s, l, change, p.Ref(), s.members[p.ID])
		}
	}
	for i := range list {
		list[i].WhileRefused = true
	}
	return list
}

func (d *Balancers) memberResources(s *snapshot, l cloud.Listener, change cloud.Change, pool cloud.IDOf, present []member) []cloud.Resource {
	var list []cloud.Resource
	for _, m := range d.wantedMembers(l, change, present, d.memberSubnet(s, change.Spec)) {
		r := memberResource(m, pool)
		r.Fields["name"], r.Fields["subnet_id"] = m.Name, m.Subnet
		list = append(list, r)
	}
	return list
}

func monitorFields(h *cloud.Health, name string, behind cloud.IDOf) map[string]any {
	fields := map[string]any{
		"pool_id": behind, "name": name, "type": string(h.Protocol), "delay": int(h.Interval / time.Second), "timeout": int(h.Timeout / time.Second),
		"max_retries": h.Healthy, "max_retries_down": h.Unhealthy,
	}
	if h.Protocol == protocolHTTP {
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

// isOurPool reports whether the name of a pool says that it is the Service's.
func (d *Balancers) isOurPool(p pool, o cloud.Owner) bool {
	return d.marks.IsChild("pool", p.Name, o) || d.marks.Renamed("pool", p.Name, o) != ""
}

// unusedPools are the Service's pools that nothing leads to: on the way in, or out. Sorted by id.
func (d *Balancers) unusedPools(s *snapshot, o cloud.Owner) []pool {
	var list []pool
	for _, p := range s.pools {
		if len(p.Listeners) == 0 && d.isOurPool(p, o) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b pool) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// unusedPort is the highest port that no listener has and no port of the Service needs.
func (s *snapshot) unusedPort(spec cloud.Spec) int {
	port := 65535
	for slices.ContainsFunc(s.listeners, func(l listener) bool { return l.Port == port }) ||
		slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool { return p.Port == port }) {
		port--
	}
	return port
}

// memberKind writes all members of a pool at once, or one by one for providers that can't take
// several.
func (d *Balancers) memberKind() cloud.ResourceKind {
	kind := cloud.ResourceKind{Name: kindMember, Settles: settles}
	if !d.config.Serial {
		kind.Batch = "pool_id"
		kind.Write = func(ctx context.Context, pool string, wanted []cloud.Resource) error {
			bodies := []map[string]any{}
			for _, m := range wanted {
				bodies = append(bodies, memberBody(m))
			}
			return d.put(ctx, "members", bodies, pathPools, pool, "members")
		}
		return kind
	}
	path := func(r cloud.Resource) []string {
		return []string{pathPools, fmt.Sprint(r.Fields["pool_id"]), "members"}
	}
	kind.Create = func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
		return d.post(ctx, "member", memberBody(wanted), path(wanted)...)
	}
	kind.Update = func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
		return d.put(ctx, "member", chosen(wanted.Fields, fields), append(path(present), present.ID)...)
	}
	kind.Delete = func(ctx context.Context, present cloud.Resource) error {
		return api.Remove(ctx, d.client, append(path(present), present.ID)...)
	}
	return kind
}

// memberResource is a member with what is compared of it. A port of its own for the check is taken
// away by a null.
func memberResource(m member, behind cloud.IDOf) cloud.Resource {
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
