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
		m.attach(ctx, r, s, spec)
	}
}

func floatingResource(ip *object.FloatingIP, port, description string) cloud.Resource {
	return cloud.Resource{Kind: KindFloatingIP, Key: ip.Address, ID: ip.ID, Fields: map[string]any{"port_id": port, "description": description}}
}

// changeFloating adds a floating IP that is there and is to have this port, "" for none, and
// description.
func changeFloating(r *cloud.Resources, ip *object.FloatingIP, port, description string) {
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
func (m *Manager) attach(ctx context.Context, r *cloud.Resources, s *object.Snapshot, spec cloud.Spec) {
	chosen := desired.ChosenFloating(spec)
	switch {
	case chosen != "":
		m.attachAddress(ctx, r, s, spec, chosen)
		return
	case s.Free != nil:
		changeFloating(r, s.Free, s.LB.Port, s.Free.Description)
		return
	}
	made := m.newFloatingIP(s.LB.Port, spec, "")
	if s.Elsewhere != nil {
		left, err := m.isLeft(ctx, spec, s.Elsewhere.Port)
		if left {
			changeFloating(r, s.Elsewhere, s.LB.Port, s.Elsewhere.Description)
			return
		}
		made.Problem = err
	}
	r.Wanted = append(r.Wanted, made)
}

func (m *Manager) attachAddress(ctx context.Context, r *cloud.Resources, s *object.Snapshot, spec cloud.Spec, address string) {
	found, err := m.Reader.FloatingIPs(ctx, url.Values{"floating_ip_address": {address}})
	if len(found) == 0 {
		made := m.newFloatingIP(s.LB.Port, spec, address)
		made.Problem = err
		r.Wanted = append(r.Wanted, made)
		return
	}
	changeFloating(r, &found[0], s.LB.Port, found[0].Description)
	if found[0].Port == "" || found[0].Port == s.LB.Port {
		return
	}
	left, err := m.isLeft(ctx, spec, found[0].Port)
	if err == nil && !left {
		_, field := desired.ChosenAddress(spec)
		err = &cloud.Invalid{Field: field, Value: address, Want: "it is in use at port " + found[0].Port}
	}
	r.Wanted[len(r.Wanted)-1].Problem = err
}

// portOfNew stands for the port of a balancer that is not made yet.
const portOfNew = "of the new balancer"

// AddFirst adds the floating IP of a new balancer. It is attached when the answer to the creation has told the
// balancer's port. One with an address that was chosen, and that the project does not have, is
// made before the balancer: most clouds let only administrators choose, and a balancer would wait
// for it for ever. It is found again by its description.
func (m *Manager) AddFirst(ctx context.Context, r *cloud.Resources, s *object.Snapshot, change cloud.Change, made *cloud.Resource) error {
	spec, chosen := change.Spec, desired.ChosenFloating(change.Spec)
	switch {
	case m.Rules.WantsInternal(spec) || spec.IPv6 || m.Rules.FloatingNetwork(spec) == desired.NoNetwork || m.Following(spec) != nil:
		return nil
	case s.Free != nil && (chosen == "" || s.Free.Address == chosen):
		changeFloating(r, s.Free, portOfNew, s.Free.Description)
	case chosen == "":
		r.Wanted = append(r.Wanted, m.newFloatingIP(portOfNew, spec, ""))
	default:
		found, err := m.Reader.FloatingIPs(ctx, url.Values{"floating_ip_address": {chosen}})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			reserved := m.newFloatingIP("", spec, chosen)
			r.Wanted = append(r.Wanted, reserved)
			made.Needs = append(made.Needs, reserved.Ref())
			return nil
		}
		changeFloating(r, &found[0], portOfNew, found[0].Description)
	}
	last := &r.Wanted[len(r.Wanted)-1]
	last.Needs, last.Native = []cloud.IDOf{made.Ref()}, native{spec: spec, made: s}
	return nil
}
