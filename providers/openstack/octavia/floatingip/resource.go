package floatingip

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
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
	case s.Floating != nil && m.isFormer(s.Floating.Description, spec.Ref.Owner):
		changeFloating(r, s.Floating, s.Floating.Port, m.Description(spec.Ref.Owner))
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
	chosen := m.Rules.PlaceOf(spec).FloatingAddress
	made := m.newFloatingIP(port, spec, chosen)
	switch {
	case chosen != "":
		m.attachAddress(ctx, r, made, spec, chosen)
		return
	case s.Free != nil:
		changeFloating(r, s.Free, port, s.Free.Description)
		return
	}
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

// attachAddress adds the floating IP with the chosen address: the project's, else the one that is to be made.
func (m *Manager) attachAddress(ctx context.Context, r *cloud.Resources, made cloud.Resource, spec cloud.Spec, address string) {
	found, err := m.Reader.FloatingIPs(ctx, url.Values{"floating_ip_address": {address}})
	if len(found) == 0 {
		made.Problem = err
		r.Wanted = append(r.Wanted, made)
		return
	}
	port := made.Fields["port_id"]
	changeFloating(r, &found[0], port, found[0].Description)
	if found[0].Port == "" || found[0].Port == port {
		return
	}
	left, err := m.isLeft(ctx, spec, found[0].Port)
	if err == nil && !left {
		err = &cloud.Invalid{Field: m.Rules.PlaceOf(spec).AddressBy, Value: address, Want: "it is in use at port " + found[0].Port}
	}
	r.Wanted[len(r.Wanted)-1].Problem = err
}

// PortOfVIP is the field of a balancer with the port of its address.
const PortOfVIP = "vip_port_id"

// AddFirst adds the floating IP of a new balancer, at the port that the balancer gets. One with an address that was chosen, and that
// the project does not have, is made before the balancer: most clouds let only administrators choose, and a balancer would wait
// for it for ever. It is found again by its description.
func (m *Manager) AddFirst(ctx context.Context, r *cloud.Resources, s *object.Snapshot, spec cloud.Spec, made *cloud.Resource) {
	where := m.Rules.PlaceOf(spec)
	if where.Internal || spec.IPv6 || m.Following(spec) != nil || where.FloatingFrom == desired.NoNetwork {
		return
	}
	had := len(r.Present)
	m.attach(ctx, r, s, cloud.FieldOf{Of: made.Ref(), Field: PortOfVIP}, spec)
	if ip := r.Wanted[len(r.Wanted)-1]; len(r.Present) == had && where.FloatingAddress != "" {
		ip.Fields["port_id"] = ""
		made.Needs = append(made.Needs, ip.Ref())
	}
}

// Release takes the floating IP from the balancer:
//
//	made for                          to be kept  the Service  it is
//	this Service, or one that shared  no          –            deleted: the last one pays
//	its balancer and has left
//	the same                          yes         leaves       detached, and nobody's any more
//	the same                          yes         stays        detached, for when it is wanted again
//	any other, or nobody              –           –            detached
//
// One that loadBalancerIP chose was not made for a Service that shared the balancer.
func (m *Manager) Release(r cloud.Resources, ip *object.FloatingIP, spec cloud.Spec) cloud.Resources {
	if ip == nil {
		return r
	}
	keep := option.KeepFloatingIP.Bool(spec.Options)
	switch ours := m.inherits(ip, spec) || m.IsOurs(ip.Description, spec.Ref.Owner, true); {
	case ours && !keep:
		r.Present = append(r.Present, floatingResource(ip, ip.Port, ip.Description))
	case ours && spec.Deleting:
		changeFloating(&r, ip, "", "Kept of Service "+spec.Ref.Owner.String())
	default:
		changeFloating(&r, ip, "", ip.Description)
	}
	return r
}

// Park detaches a floating IP that was made for the Service, for the balancer that comes in the place
// of this one: its description makes it the Service's. Any other is detached with the balancer.
func (m *Manager) Park(r cloud.Resources, ip *object.FloatingIP, spec cloud.Spec) cloud.Resources {
	if ip != nil && (m.inherits(ip, spec) || m.IsOurs(ip.Description, spec.Ref.Owner, true)) {
		changeFloating(&r, ip, "", m.Description(spec.Ref.Owner))
	}
	return r
}

// inherits reports whether a floating IP at the Service's balancer was made for another Service,
// which shared the balancer.
func (m *Manager) inherits(ip *object.FloatingIP, spec cloud.Spec) bool {
	return ip.Port != "" && ip.Address != m.Rules.PlaceOf(spec).Address && strings.Contains(ip.Description, DescriptionPrefix)
}

// claimFloating gives a floating IP that upstream made for the Service a description with its UID.
func (m *Manager) claimFloating(r *cloud.Resources, ip *object.FloatingIP, o cloud.Owner) {
	if !m.IsOurs(ip.Description, o, false) && m.IsOurs(ip.Description, o, true) {
		changeFloating(r, ip, ip.Port, m.Description(o))
	}
}

// newFloatingIP is a floating IP at a port, with an address if that is not "".
func (m *Manager) newFloatingIP(port any, spec cloud.Spec, address string) cloud.Resource {
	return cloud.Resource{
		Kind: KindFloatingIP, Key: cmp.Or(address, "of "+spec.Ref.Owner.String()), Native: spec, Fields: map[string]any{
			"floating_network_id": m.Rules.PlaceOf(spec).FloatingFrom, "port_id": port, "description": m.Description(spec.Ref.Owner),
			"floating_ip_address": address,
		},
	}
}

// DescriptionPrefix begins the descriptions of the floating IPs upstream makes.
const DescriptionPrefix = "Floating IP for Kubernetes external service"

// Description is upstream's, with the Service's UID, which is a proof.
func (m *Manager) Description(o cloud.Owner) string {
	proof := " (uid " + o.UID + ")"
	text := fmt.Sprintf("%s %s from cluster %s", DescriptionPrefix, o, m.Rules.Marks.ClusterName)
	return text[:min(len(text), mark.MaxText-len(proof))] + proof
}

// IsOurs reports whether a floating IP of that description was made for the Service. One of upstream's
// says so by where it is attached.
func (m *Manager) IsOurs(description string, o cloud.Owner, attached bool) bool {
	if strings.Contains(description, "(uid ") {
		return o.UID != "" && strings.HasSuffix(description, "(uid "+o.UID+")")
	}
	return attached && strings.Contains(description, DescriptionPrefix)
}

// isFormer reports whether a floating IP of the Service has the description it got in a cluster of
// another name.
func (m *Manager) isFormer(description string, o cloud.Owner) bool {
	return description != m.Description(o) && m.IsOurs(description, o, false) &&
		strings.HasPrefix(description, DescriptionPrefix+" "+o.String()+" from cluster ")
}

// Following is the floating IP that stays at the balancer beside, which serves, and follows when this
// one does: ours, or the one that was asked for. It is nil where the new balancer gets another one.
func (m *Manager) Following(spec cloud.Spec) *object.FloatingIP {
	if spec.Beside == nil || m.Rules.PlaceOf(spec).Internal {
		return nil
	}
	s, ok := spec.Beside.Native.(*object.Snapshot)
	if !ok || s.Floating == nil {
		return nil
	}
	chosen := m.Rules.PlaceOf(spec).FloatingAddress
	if chosen == s.Floating.Address || chosen == "" && m.IsOurs(s.Floating.Description, spec.Ref.Owner, true) {
		return s.Floating
	}
	return nil
}

// isLeft reports whether a port is that of another balancer of the Service, which the present one has
// replaced.
func (m *Manager) isLeft(ctx context.Context, spec cloud.Spec, port string) (bool, error) {
	all, _, err := m.Reader.Balancers(ctx)
	if err != nil {
		return false, fmt.Errorf("listing balancers: %w", err)
	}
	return slices.ContainsFunc(all, func(lb object.Balancer) bool {
		return lb.Port == port && m.Rules.Marks.ReadClaims(lb.Tags, spec.Ref.Owner).Ours
	}), nil
}
