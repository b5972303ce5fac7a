package floatingip

import (
	"context"
	"net/url"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// Add adds the floating IP:
//
//	scope     is at the port  is to be
//	internal  any             released
//	external  none            attached
//	external  none, follows   as it is, but one of upstream's gets the Service's UID, to be found
//	external  any             as it is: another loadBalancerIP is for new balancers. What names
//	                          the cluster follows its name
//
// A tenant has no say in it.
func (m *Manager) Add(ctx context.Context, r *cloud.Resources, s *object.Snapshot, change cloud.Change) {
	spec := change.Spec
	follows := m.Following(spec)
	switch internal := change.After.Scope == cloud.ScopeInternal; {
	case spec.Lookups[desired.LookupTenant] != "" || neutron.IsIPv6(s.LB.Address):
	case internal && s.Floating != nil:
		*r = m.Release(*r, s.Floating, spec)
	case internal:
	case s.Floating == nil && follows != nil:
		m.claimFloating(r, follows, spec.Ref.Owner)
	case s.Floating != nil && m.Rules.Marks.FormerFloating(s.Floating.Description, spec.Ref.Owner):
		changeFloating(r, s.Floating, s.Floating.Port, m.Rules.Marks.FloatingDescription(spec.Ref.Owner))
	case s.Floating == nil:
		m.attach(ctx, r, s, s.LB.Port, spec)
	}
}

func floatingResource(ip *object.FloatingIP, port any, description string) cloud.Resource {
	return cloud.Resource{Kind: KindFloatingIP, Key: ip.Address, ID: ip.ID, Fields: map[string]any{"port_id": port, "description": description}}
}

// changeFloating adds a floating IP that is there and is to have this port, "" for none, and
// description.
func changeFloating(r *cloud.Resources, ip *object.FloatingIP, port any, description string) {
	r.Present = append(r.Present, floatingResource(ip, ip.Port, ip.Description))
	r.Wanted = append(r.Wanted, floatingResource(ip, port, description))
}

// attach adds the floating IP that the balancer is to have:
//
//	loadBalancerIP  in the project     it
//	set             free               is attached
//	set             used elsewhere     refused
//	set             unknown            is made, which needs more rights than most users have
//	not set         one is left of an  is attached
//	                earlier balancer
//	–               at the balancer    is moved
//	                it has replaced
//	not set         none is left       is made, in the first subnet that has room
//
// What cannot be read now is the problem of the floating IP alone.
func (m *Manager) attach(ctx context.Context, r *cloud.Resources, s *object.Snapshot, port any, spec cloud.Spec) {
	chosen := desired.ChosenFloating(spec)
	switch {
	case chosen != "":
		m.attachAddress(ctx, r, port, spec, chosen)
		return
	case s.Free != nil:
		changeFloating(r, s.Free, port, s.Free.Description)
		return
	}
	made := m.newFloatingIP(port, spec, "")
	if s.Elsewhere != nil {
		left, err := m.isLeft(ctx, spec, s.Elsewhere.Port)
		if left {
			changeFloating(r, s.Elsewhere, port, s.Elsewhere.Description)
			return
		}
		made.Problem = err
	}
	r.Wanted = append(r.Wanted, made)
}

func (m *Manager) attachAddress(ctx context.Context, r *cloud.Resources, port any, spec cloud.Spec, address string) {
	found, err := m.Reader.FloatingIPs(ctx, url.Values{"floating_ip_address": {address}})
	if len(found) == 0 {
		made := m.newFloatingIP(port, spec, address)
		made.Problem = err
		r.Wanted = append(r.Wanted, made)
		return
	}
	changeFloating(r, &found[0], port, found[0].Description)
	if found[0].Port == "" || found[0].Port == port {
		return
	}
	left, err := m.isLeft(ctx, spec, found[0].Port)
	if err == nil && !left {
		_, field := desired.ChosenAddress(spec)
		err = &cloud.Invalid{Field: field, Value: address, Want: "it is in use at port " + found[0].Port}
	}
	r.Wanted[len(r.Wanted)-1].Problem = err
}

// PortOfVIP is the field of a balancer with the port of its address.
const PortOfVIP = "vip_port_id"

// AddFirst adds the floating IP of a new balancer, at the port that the balancer gets. One with an address that was chosen, and that
// the project does not have, is made before the balancer: most clouds let only administrators choose, and a balancer would wait
// for it for ever. It is found again by its description.
func (m *Manager) AddFirst(ctx context.Context, r *cloud.Resources, s *object.Snapshot, spec cloud.Spec, made *cloud.Resource) {
	if m.Rules.WantsInternal(spec) || spec.IPv6 || m.Rules.FloatingNetwork(spec) == desired.NoNetwork || m.Following(spec) != nil {
		return
	}
	had := len(r.Present)
	m.attach(ctx, r, s, cloud.FieldOf{Of: made.Ref(), Field: PortOfVIP}, spec)
	if ip := r.Wanted[len(r.Wanted)-1]; len(r.Present) == had && desired.ChosenFloating(spec) != "" {
		ip.Fields["port_id"] = ""
		made.Needs = append(made.Needs, ip.Ref())
	}
}
