package openstack

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// step is one change of a balancer, after which it is pending.
type step struct {
	what string
	do   func(context.Context) error
}

// nextStep returns the first change of the balancer that is due, nil when none is.
func (d *Driver) nextStep(s *snapshot, change cloud.Change) *step {
	if next := d.balancerStep(s, change); next != nil {
		return next
	}
	for _, l := range change.After.Listeners {
		if next := d.listenerStep(s, l, change); next != nil {
			return next
		}
	}
	return d.surplusStep(s, change)
}

// balancerStep changes name and tags.
func (d *Driver) balancerStep(s *snapshot, change cloud.Change) *step {
	body := map[string]any{}
	if marks := d.observedMarks(s.lb.Tags, change.Spec.Ref.Owner); d.can(ableTags) && !slices.Equal(marks, change.After.Marks) {
		body["tags"] = d.replaceMarks(s.lb.Tags, change.After.Marks, change.Spec.Ref.Owner)
	}
	if change.Spec.Facts[factGuest] == "" && s.lb.Name != change.After.Name {
		body["name"] = change.After.Name
	}
	if len(body) == 0 {
		return nil
	}
	return &step{"changing name and tags", d.putting("loadbalancer", body, pathBalancers, s.lb.ID)}
}

// listenerStep makes or changes a listener and what is behind it:
//
//	listener  protocol   pool      its protocol   does
//	none      –          –         –              makes the listener
//	there     differs    there     –              deletes the pool
//	there     differs    none      –              deletes the listener
//	there     as wanted  none      –              makes the pool
//	there     as wanted  there     differs        deletes the pool
//	there     as wanted  there     as wanted      changes what differs in listener, pool, members, monitor
//
// Octavia takes no second listener at a port, so one whose protocol changes is away for a moment.
func (d *Driver) listenerStep(s *snapshot, l cloud.Listener, change cloud.Change) *step {
	have := s.listenerOf(l.Key())
	if have == nil {
		body := d.listenerBody(l, change.Spec)
		body["loadbalancer_id"] = s.lb.ID
		return &step{"creating listener " + l.Key(), d.posting("listener", body, pathListeners)}
	}
	if have.Protocol != string(l.Protocol) {
		return d.dropStep(s, have)
	}
	if next := d.listenerFieldsStep(have, l, change.Spec); next != nil {
		return next
	}
	p, exists := s.pools[have.Pool]
	switch {
	case !exists:
		body := d.poolBody(l, change.Spec)
		body["listener_id"] = have.ID
		return &step{"creating the pool of listener " + l.Key(), d.posting("pool", body, pathPools)}
	case p.Protocol != string(l.TargetProtocol):
		return d.dropPoolStep(p.ID)
	}
	if next := d.poolStep(p, l); next != nil {
		return next
	}
	if next := d.membersStep(s, p, l, change); next != nil {
		return next
	}
	return d.monitorStep(s, p, l, change.Spec)
}

// dropStep deletes a listener: its pool first, with members and monitor.
func (d *Driver) dropStep(s *snapshot, l *listener) *step {
	if _, exists := s.pools[l.Pool]; exists {
		return d.dropPoolStep(l.Pool)
	}
	return &step{"deleting listener " + l.key(), func(ctx context.Context) error { return remove(ctx, d.balancer, pathListeners, l.ID) }}
}

func (d *Driver) dropPoolStep(id string) *step {
	return &step{"deleting pool " + id, func(ctx context.Context) error { return remove(ctx, d.balancer, pathPools, id) }}
}

// surplusStep deletes a listener of ours that is not wanted.
func (d *Driver) surplusStep(s *snapshot, change cloud.Change) *step {
	for i, l := range s.listeners {
		wanted := slices.ContainsFunc(change.After.Listeners, func(w cloud.Listener) bool { return w.Key() == l.key() })
		if !wanted && d.isOurs(s, l, change.Spec) {
			return d.dropStep(s, &s.listeners[i])
		}
	}
	return nil
}

// listenerFieldsStep changes what differs in a listener, all at once.
func (d *Driver) listenerFieldsStep(have *listener, l cloud.Listener, spec cloud.Spec) *step {
	full, body := d.listenerBody(l, spec), map[string]any{}
	seen := map[string]any{
		"connection_limit": have.ConnectionLimit, "default_tls_container_ref": have.TLSRef,
		"timeout_client_data": have.ClientData, "timeout_member_connect": have.MemberConnect,
		"timeout_member_data": have.MemberData, "timeout_tcp_inspect": have.TCPInspect,
	}
	for field, value := range seen {
		if wanted, managed := full[field]; managed && wanted != value {
			body[field] = wanted
		}
	}
	if wanted, managed := l.Extras[fieldForwardedFor]; managed && (wanted == "true") != (have.InsertHeaders[forwardedFor] == "true") {
		headers := map[string]string{}
		maps.Copy(headers, have.InsertHeaders)
		delete(headers, forwardedFor)
		if wanted == "true" {
			headers[forwardedFor] = "true"
		}
		body["insert_headers"] = headers
	}
	if wanted, managed := full["allowed_cidrs"].([]string); managed && l.Extras[fieldAllowed] != observedAllowed(*have, balancer{Address: nobody(onIPv6(spec))}, l.Extras[fieldAllowed]) {
		body["allowed_cidrs"] = wanted
	}
	if name := d.name(spec.Ref.Owner); l.Extras[fieldOwned] == "true" && !slices.Contains(have.Tags, name) {
		body["tags"] = append(slices.Clone(have.Tags), name)
	}
	if len(body) == 0 {
		return nil
	}
	return &step{"changing listener " + l.Key(), d.putting("listener", body, pathListeners, have.ID)}
}

func (d *Driver) poolStep(p pool, l cloud.Listener) *step {
	body := map[string]any{}
	if method := l.Extras[fieldMethod]; method != p.Method {
		body["lb_algorithm"] = method
	}
	if wanted := l.Extras[fieldPersistence]; wanted != p.persistence() {
		body["session_persistence"] = persistenceBody(wanted)
	}
	if len(body) == 0 {
		return nil
	}
	return &step{"changing the pool of listener " + l.Key(), d.putting("pool", body, pathPools, p.ID)}
}

// persistenceBody is null for none.
func persistenceBody(kind string) any {
	if kind == "" {
		return nil
	}
	return map[string]string{"type": kind}
}

// membersStep writes all members of a pool at once.
func (d *Driver) membersStep(s *snapshot, p pool, l cloud.Listener, change cloud.Change) *step {
	present := s.members[p.ID]
	wanted := d.wantedMembers(l, change, present, d.memberSubnet(s, change.Spec))
	if sameMembers(present, wanted) {
		return nil
	}
	what := fmt.Sprintf("writing %d members of listener %s", len(wanted), l.Key())
	if d.config.balancer.serial {
		return &step{what, d.oneMember(present, wanted, p.ID)}
	}
	return &step{what, d.putting("members", membersBody(wanted), pathPools, p.ID, "members")}
}

// oneMember makes or deletes one member, for providers that can't take several at once.
func (d *Driver) oneMember(present, wanted []member, pool string) func(context.Context) error {
	lacks := func(list []member, m member) bool {
		return !slices.ContainsFunc(list, func(other member) bool { return sameMembers([]member{other}, []member{m}) })
	}
	for _, m := range present {
		if lacks(wanted, m) {
			return func(ctx context.Context) error { return remove(ctx, d.balancer, pathPools, pool, "members", m.ID) }
		}
	}
	for _, m := range wanted {
		if lacks(present, m) {
			return d.posting("member", m.body(), pathPools, pool, "members")
		}
	}
	return func(context.Context) error { return nil }
}

// memberSubnet is the subnet of the members; without one of their own it is the balancer's.
func (d *Driver) memberSubnet(s *snapshot, spec cloud.Spec) string {
	if chosen := d.placementOf(spec).memberSubnet; chosen != "" {
		return chosen
	}
	return s.lb.Subnet
}

func (d *Driver) monitorStep(s *snapshot, p pool, l cloud.Listener, spec cloud.Spec) *step {
	have, exists := s.monitors[p.ID]
	drop := func(ctx context.Context) error { return remove(ctx, d.balancer, pathMonitors, have.ID) }
	switch {
	case l.Health == nil && !exists:
		return nil
	case l.Health == nil, exists && have.Type != string(l.Health.Protocol):
		return &step{"deleting the health monitor of listener " + l.Key(), drop}
	case !exists:
		body := monitorBody(l, spec, d)
		body["pool_id"] = p.ID
		return &step{"creating the health monitor of listener " + l.Key(), d.posting("healthmonitor", body, pathMonitors)}
	}
	wanted := monitorBody(l, spec, d)
	same := wanted["delay"] == have.Delay && wanted["timeout"] == have.Timeout && wanted["max_retries"] == have.Retries &&
		wanted["max_retries_down"] == have.RetriesDown && (wanted["url_path"] == nil || wanted["url_path"] == have.Path)
	if same {
		return nil
	}
	for _, fixed := range []string{"type", "name", "http_method"} {
		delete(wanted, fixed)
	}
	return &step{"changing the health monitor of listener " + l.Key(), d.putting("healthmonitor", wanted, pathMonitors, have.ID)}
}

// posting returns a request that makes an object.
func (d *Driver) posting(name string, body map[string]any, path ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := d.balancer.Post(ctx, d.balancer.ServiceURL(path...), map[string]any{name: body}, nil, okPut)
		return err
	}
}

// putting returns a request that changes an object.
func (d *Driver) putting(name string, body any, path ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := d.balancer.Put(ctx, d.balancer.ServiceURL(path...), map[string]any{name: body}, nil, okPut)
		return err
	}
}
