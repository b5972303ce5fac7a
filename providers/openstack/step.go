package openstack

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// step is one change of a balancer, after which it is pending.
type step struct {
	what string
	do   func(context.Context) error
}

// nextStep returns the first change of the balancer that is due, nil when none is. Its name, by
// which listeners are known that have no other tag, goes late.
func (d *Driver) nextStep(s *snapshot, change cloud.Change) *step {
	if next := d.tagsStep(s, change); next != nil {
		return next
	}
	for _, l := range change.After.Listeners {
		if next := d.listenerStep(s, l, change); next != nil {
			return next
		}
	}
	if next := d.surplusStep(s, change); next != nil {
		return next
	}
	if change.Spec.Lookups[lookupTenant] == "" && s.lb.Name != change.After.Name {
		body := map[string]any{"name": change.After.Name}
		if strings.HasPrefix(s.lb.Description, descriptionPrefix) {
			body["description"] = d.description(change.Spec.Ref.Owner)
		}
		return &step{"changing the name", d.putting("loadbalancer", body, pathBalancers, s.lb.ID)}
	}
	return nil
}

func (d *Driver) tagsStep(s *snapshot, change cloud.Change) *step {
	marks := d.observedMarks(s.lb.Tags, change.Spec.Ref.Owner)
	if !d.can(ableTags) || slices.Equal(marks, change.After.OwnershipTags) {
		return nil
	}
	tags := d.replaceMarks(s.lb.Tags, change.After.OwnershipTags, change.Spec.Ref.Owner)
	return &step{"changing the tags", d.putting("loadbalancer", map[string]any{"tags": tags}, pathBalancers, s.lb.ID)}
}

// listenerStep makes or changes a listener and what is behind it. A pool of its own protocol is
// made and filled before a listener leads to it:
//
//	listener  protocol   leads to     does
//	there     as wanted  –            changes what differs in it, then:
//	–         –          –            makes the pool, changes it, its members, its monitor, then:
//	none      –          –            makes the listener
//	there     differs    –            makes a trial, then deletes the listener
//	there     as wanted  other pool   leads it to the pool
//
// Octavia takes no second listener at a port, so one whose protocol changes is away for a moment.
func (d *Driver) listenerStep(s *snapshot, l cloud.Listener, change cloud.Change) *step {
	have := s.listenerOf(l.Key())
	fits := have != nil && have.Protocol == string(l.Protocol)
	if fits {
		if next := d.listenerFieldsStep(have, l, change.Spec); next != nil {
			return next
		}
	}
	p, exists := d.poolFor(s, l, change.Spec)
	if l.TargetProtocol == "" {
		return nil // nobody knows what it leads to: nothing valid is asked for
	}
	if !exists {
		body := d.poolBody(l, change.Spec)
		body["loadbalancer_id"] = s.lb.ID
		return &step{"creating the pool of listener " + l.Key(), d.posting("pool", body, pathPools)}
	}
	for _, part := range []func() *step{
		func() *step { return d.poolStep(p, l, change.Spec.Ref.Owner) },
		func() *step { return d.membersStep(s, p, l, change) },
		func() *step { return d.monitorStep(s, p, l, change.Spec) },
	} {
		if next := part(); next != nil {
			return next
		}
	}
	switch {
	case have == nil:
		body := d.listenerBody(l, change.Spec)
		body["loadbalancer_id"], body["default_pool_id"] = s.lb.ID, p.ID
		return &step{"creating listener " + l.Key(), d.posting("listener", body, pathListeners)}
	case !fits:
		return cmp.Or(d.trialStep(s, l, change.Spec), d.dropListenerStep(have))
	case have.Pool != p.ID:
		return &step{"changing the pool of listener " + l.Key(), d.putting("listener", map[string]any{"default_pool_id": p.ID}, pathListeners, have.ID)}
	}
	return nil
}

// poolFor returns the pool a listener has or is to have: its own if the protocol is right, else
// one that was made for it and that nothing leads to yet.
func (d *Driver) poolFor(s *snapshot, l cloud.Listener, spec cloud.Spec) (pool, bool) {
	if have := s.listenerOf(l.Key()); have != nil {
		if p, exists := s.pools[have.Pool]; exists && p.Protocol == string(l.TargetProtocol) && !p.shared() {
			return p, true
		}
	}
	name := d.childName("pool", portIndex(l, spec), spec.Ref.Owner)
	for _, p := range d.unusedPools(s, spec.Ref.Owner) {
		if p.Name == name && p.Protocol == string(l.TargetProtocol) {
			return p, true
		}
	}
	return pool{}, false
}

// unusedPools are the Service's pools that nothing leads to: on the way in, or out. Sorted by id.
func (d *Driver) unusedPools(s *snapshot, o cloud.Owner) []pool {
	var list []pool
	for _, p := range s.pools {
		if len(p.Listeners) == 0 && (d.isChild("pool", p.Name, o) || d.renamed("pool", p.Name, o) != "") {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b pool) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// trialStep makes a listener like the wanted one at a port nobody uses, and switched off: what
// the API refuses, such as a certificate it can't read, it has to refuse before the old listener
// is deleted. It is deleted like any listener that is not wanted.
func (d *Driver) trialStep(s *snapshot, l cloud.Listener, spec cloud.Spec) *step {
	plain := l.Protocol == cloud.ProtocolTCP || l.Protocol == cloud.ProtocolUDP || l.Protocol == cloud.ProtocolSCTP
	made := slices.ContainsFunc(s.listeners, func(t listener) bool {
		return d.isChild("trial", t.Name, spec.Ref.Owner) && t.Protocol == string(l.Protocol) && t.TLSRef == l.ProviderFields[fieldTLS]
	})
	if plain || made {
		return nil
	}
	body := d.listenerBody(l, spec)
	body["loadbalancer_id"], body["admin_state_up"] = s.lb.ID, false
	body["name"], body["protocol_port"] = d.childName("trial", portIndex(l, spec), spec.Ref.Owner), s.unusedPort()
	return &step{"trying listener " + l.Key(), d.posting("listener", body, pathListeners)}
}

// unusedPort is the highest port that no listener has.
func (s *snapshot) unusedPort() int {
	port := 65535
	for slices.ContainsFunc(s.listeners, func(l listener) bool { return l.Port == port }) {
		port--
	}
	return port
}

// dropStep deletes a listener: its pool first, with members and monitor.
func (d *Driver) dropStep(s *snapshot, l *listener) *step {
	if p, exists := s.pools[l.Pool]; exists && !p.shared() {
		return d.dropPoolStep(l.Pool)
	}
	return d.dropListenerStep(l)
}

func (d *Driver) dropListenerStep(l *listener) *step {
	return &step{"deleting listener " + l.key(), func(ctx context.Context) error { return remove(ctx, d.balancer, pathListeners, l.ID) }}
}

func (d *Driver) dropPoolStep(id string) *step {
	return &step{"deleting pool " + id, func(ctx context.Context) error { return remove(ctx, d.balancer, pathPools, id) }}
}

// surplusStep deletes a listener or pool of ours that is not wanted.
func (d *Driver) surplusStep(s *snapshot, change cloud.Change) *step {
	used := map[string]bool{}
	for _, l := range change.After.Listeners {
		if p, exists := d.poolFor(s, l, change.Spec); exists {
			used[p.ID] = true
		}
	}
	for i, l := range s.listeners {
		wanted := slices.ContainsFunc(change.After.Listeners, func(w cloud.Listener) bool { return w.Key() == l.key() })
		if !wanted && d.isOurs(s, l, change.Spec) {
			return d.dropStep(s, &s.listeners[i])
		}
	}
	for _, p := range d.unusedPools(s, change.Spec.Ref.Owner) {
		if !used[p.ID] {
			return d.dropPoolStep(p.ID)
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
	if wanted, managed := l.ProviderFields[fieldForwardedFor]; managed && (wanted == "true") != (have.InsertHeaders[forwardedFor] == "true") {
		headers := map[string]string{}
		maps.Copy(headers, have.InsertHeaders)
		delete(headers, forwardedFor)
		if wanted == "true" {
			headers[forwardedFor] = "true"
		}
		body["insert_headers"] = headers
	}
	if wanted, managed := l.ProviderFields[fieldAllowed]; managed && wanted != observedAllowed(*have, onIPv6(spec), wanted) {
		body["allowed_cidrs"] = cidrList(wanted)
	}
	if l.ProviderFields[fieldOwned] == "true" && !d.isTagged(have.Tags, spec.Ref.Owner) {
		body["tags"] = append(slices.DeleteFunc(slices.Clone(have.Tags), func(tag string) bool { return d.isNameOf(tag, spec.Ref.Owner) }), d.name(spec.Ref.Owner))
	}
	if name := d.renamed("listener", have.Name, spec.Ref.Owner); name != "" {
		body["name"] = name
	}
	if len(body) == 0 {
		return nil
	}
	return &step{"changing listener " + l.Key(), d.putting("listener", body, pathListeners, have.ID)}
}

// posting returns a request that makes an object. Nothing of the answer is needed, but an answer
// that is none of the API says that nothing was made.
func (d *Driver) posting(name string, body map[string]any, path ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		var answer map[string]any
		_, err := d.balancer.Post(ctx, d.balancer.ServiceURL(path...), map[string]any{name: body}, &answer, okPut())
		return err
	}
}

// putting returns a request that changes an object.
func (d *Driver) putting(name string, body any, path ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := d.balancer.Put(ctx, d.balancer.ServiceURL(path...), map[string]any{name: body}, nil, okPut())
		return err
	}
}
