package floatingip

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Add adds the floating IP of a balancer. One with a chosen address that the project does not have is made before a new balancer, as
// first says: most clouds let only administrators choose, and a balancer would wait for it for ever. It is found again by its
// description.
func (m *Manager) Add(ctx context.Context, r *cloud.Resources, s *object.Snapshot, change cloud.Change, balancer cloud.IDOf) (first []cloud.IDOf) {
	in := change.Input
	if change.After == nil {
		m.leave(r, s, change, slices.ContainsFunc(r.Wanted, func(w cloud.Resource) bool { return w.Ref() == balancer }))
		return nil
	}
	where := m.Rules.PlaceOf(in)
	if change.Before.Found {
		if m.keep(r, s, change) {
			m.attach(ctx, r, s, cloud.ToID(s.LB.Port), in)
		}
		return nil
	}
	if where.Internal || in.IPv6 || m.Following(in) != nil || where.NoFloating {
		return nil
	}
	had := len(r.Present)
	m.attach(ctx, r, s, cloud.Reference{Of: balancer, Chosen: PortOfVIP}, in)
	if ip := &r.Wanted[len(r.Wanted)-1]; where.FloatingAddress != "" && len(r.Present) == had {
		ip.Fields = ip.Fields.With(fieldPort.Is(cloud.Reference{}))
		first = append(first, ip.Ref())
	}
	return first
}

// keep adds what becomes of the floating IP of a balancer that stays, and reports whether it lacks one:
//
//	scope     is at the port  is to be
//	internal  any             released
//	external  none            attached
//	external  none, follows   as it is, but one of upstream's gets the Service's UID, to be found
//	external  any             as it is: another loadBalancerIP is for new balancers. What names
//	                          the cluster follows its name
//
// A tenant has no say in it.
func (m *Manager) keep(r *cloud.Resources, s *object.Snapshot, change cloud.Change) (lacks bool) {
	in, ip, follows := change.Input, s.Floating, m.Following(change.Input)
	switch internal := change.After.Scope == cloud.ScopeInternal; {
	case desired.Found.Open(in.Findings).Tenant || m.Rules.PlaceOf(in).IPv6:
	case internal && ip != nil:
		m.release(r, ip, s, in)
	case internal:
	case ip != nil && m.isOutdated(ip, s, in):
		changeFloating(r, ip, cloud.ToID(ip.Port), m.description(in.Owner))
	case ip == nil && follows == nil:
		return true
	case ip == nil && isUpstreams(follows, in.Spec):
		changeFloating(r, follows, cloud.ToID(follows.Port), m.description(in.Owner))
	}
	return false
}

// PortOfVIP is the field of a balancer with the port of its address.
const PortOfVIP = "vip_port_id"

// leave adds what becomes of the floating IPs of a balancer that goes, or that the Service leaves.
func (m *Manager) leave(r *cloud.Resources, s *object.Snapshot, change cloud.Change, stays bool) {
	in := change.Input
	if s.Free != nil && !change.Replaced && in.Beside == nil {
		m.release(r, s.Free, s, in)
	}
	switch ip := s.Floating; {
	case ip == nil || stays:
	case !change.Replaced:
		m.release(r, ip, s, in)
	case m.isLeft(ip, s, in):
		// It is for the balancer that comes in the place of this one: its description makes it the Service's. Any other is
		// detached with the balancer.
		changeFloating(r, ip, cloud.Reference{}, m.description(in.Owner))
	}
}

// release takes the floating IP from the balancer:
//
//	made for                          to be kept  the Service  it is
//	this Service, or one that shared  no          –            deleted: the last one pays
//	its balancer and has left
//	the same                          yes         leaves       detached, and nobody's any more
//	the same                          yes         stays        detached, for when it is wanted again
//	any other, or nobody              –           –            detached
//
// One that loadBalancerIP chose was not made for a Service that shared the balancer.
func (m *Manager) release(r *cloud.Resources, ip *object.FloatingIP, s *object.Snapshot, in cloud.Input) {
	keep := option.KeepFloatingIP.Bool(in.Options)
	switch ours := m.isLeft(ip, s, in); {
	case ours && !keep:
		r.Present = append(r.Present, floatingResource(ip, cloud.ToID(ip.Port), ip.Description))
	case ours && in.Deleting:
		changeFloating(r, ip, cloud.Reference{}, "Kept of Service "+in.Owner.String())
	case m.isOutdated(ip, s, in):
		changeFloating(r, ip, cloud.Reference{}, m.description(in.Owner))
	default:
		changeFloating(r, ip, cloud.Reference{}, ip.Description)
	}
}

// isLeft reports whether a floating IP at the Service's balancer is the Service's to delete: it was made for it, or for another one of
// this cluster, which shared the balancer.
func (m *Manager) isLeft(ip *object.FloatingIP, s *object.Snapshot, in cloud.Input) bool {
	here := ownership.Of(cloud.Owner{Cluster: m.madeFor(ip, s, in).Cluster}, in.Owner) == ownership.ThisCluster
	return m.isOurs(ip, s, in) || here && ip.Address != m.Rules.PlaceOf(in).Address
}

// isOurs reports whether a floating IP at the balancer of a snapshot was made for the Service. One of upstream's says so by where it is
// attached.
func (m *Manager) isOurs(ip *object.FloatingIP, s *object.Snapshot, in cloud.Input) bool {
	return isUpstreams(ip, in.Spec) || ownership.IsCertain(m.madeFor(ip, s, in), in.Owner)
}

// isUpstreams reports whether a floating IP has a description as upstream gives it, without UID.
func isUpstreams(ip *object.FloatingIP, spec cloud.Spec) bool {
	madeFor, made := tag.FloatingIP.Read(ip.Description, spec.Owner)
	return made && madeFor.UID == ""
}

// isOutdated reports whether a floating IP of the Service has the description that it got in a cluster of another name.
func (m *Manager) isOutdated(ip *object.FloatingIP, s *object.Snapshot, in cloud.Input) bool {
	return ownership.IsCertain(m.madeFor(ip, s, in), in.Owner) && ip.Description != m.description(in.Owner)
}

// IsFirst reports whether the floating IP of a balancer has to be described anew before the balancer gets its tags, where these name a
// former id of the cluster. Once the balancer has the present id nothing is left to do.
func (m *Manager) IsFirst(s *object.Snapshot, in cloud.Input) bool {
	if s.Floating == nil || desired.Found.Open(in.Findings).Tenant || m.Rules.PlaceOf(in).IPv6 {
		return false
	}
	tags := owner.Read(m.Rules, s, in).Tags
	return tags.Ours && tags.Own.Cluster != in.Owner.Cluster && m.isOutdated(s.Floating, s, in)
}

// madeFor returns the owner that the description of a floating IP names.
func (m *Manager) madeFor(ip *object.FloatingIP, s *object.Snapshot, in cloud.Input) cloud.Owner {
	o, _ := m.Rules.OwnershipTags.ReadDescription(tag.FloatingIP, ip.Description, in.Owner)
	tenancy := owner.Read(m.Rules, s, in)
	// Descriptions had --cluster-name beside the UID before they had the cluster's id. A free one may be that of the cluster with this id.
	if ip.Port != "" && ownership.HasUID(o, in.Owner) && o.Cluster == m.Rules.OwnershipTags.ClusterName && tenancy.Tags.IsCertain() {
		o.Cluster = in.Owner.Cluster
	}
	return tenancy.AsOurs(o)
}

func (m *Manager) description(o cloud.Owner) string {
	return m.Rules.OwnershipTags.OwnDescription(tag.FloatingIP, o)
}

func floatingResource(ip *object.FloatingIP, port cloud.Reference, description string) cloud.Resource {
	return cloud.Resource{Kind: KindFloatingIP, Key: ip.Address, ID: ip.ID, Fields: cloud.FieldsOf(fieldPort.Is(port), fieldDescription.Is(description))}
}

// changeFloating adds a floating IP that is there and is to have this description and this port, which can be none.
func changeFloating(r *cloud.Resources, ip *object.FloatingIP, port cloud.Reference, description string) {
	r.Present = append(r.Present, floatingResource(ip, cloud.ToID(ip.Port), ip.Description))
	r.Wanted = append(r.Wanted, floatingResource(ip, port, description))
}

// attach adds the floating IP that the balancer is to have:
//
//	loadBalancerIP  in the project     it
//	set             free               is attached
//	set             free, made for     refused: it is that one's, which may want it again. The
//	                another Service    balancer that this one replaces may have had it all the same
//	set             used elsewhere     refused
//	set             unknown            is made, which needs more rights than most users have
//	not set         one is left of an  is attached
//	                earlier balancer
//	–               at the balancer    is moved
//	                it has replaced
//	not set         none is left       is made, in the first subnet that has room
//
// What cannot be read now is the problem of the floating IP alone.
func (m *Manager) attach(ctx context.Context, r *cloud.Resources, s *object.Snapshot, port cloud.Reference, in cloud.Input) {
	where, ip := m.Rules.PlaceOf(in), cmp.Or(s.Free, s.OnOtherPort)
	var problem error
	if chosen := where.FloatingAddress; chosen != "" {
		var found []object.FloatingIP
		found, problem = m.Reader.FloatingIPs(ctx, url.Values{"floating_ip_address": {chosen}})
		if ip = nil; len(found) > 0 {
			ip = &found[0]
		}
	}
	why := ""
	if ip != nil {
		why = owner.Obstacle(m.Rules, *ip, port.ID, in)
	}
	usable := ip != nil && why == ""
	if ip != nil && !usable && ip.Port != "" {
		var lb *object.Balancer // of the Service, which the present one has replaced
		lb, problem = m.Reader.BalancerAt(ctx, ip.Port)
		usable = lb != nil && m.Rules.OwnershipTags.ReadOwners(lb.Tags, in.Owner).IsCertain()
	}
	switch {
	case usable:
		changeFloating(r, ip, port, ip.Description)
	case ip != nil && where.FloatingAddress != "":
		changeFloating(r, ip, port, ip.Description)
		if problem == nil {
			problem = &cloud.Invalid{Field: where.AddressBy, Value: ip.Address, Want: why}
		}
	default:
		r.Wanted = append(r.Wanted, cloud.Resource{
			Kind: KindFloatingIP, Key: cmp.Or(where.FloatingAddress, "of "+in.Owner.String()), Native: nativeInput.Seal(in), Fields: cloud.FieldsOf(
				fieldNetwork.Is(where.FloatingFrom), fieldPort.Is(port), fieldDescription.Is(m.description(in.Owner)),
				fieldAddress.Is(where.FloatingAddress),
			),
		})
	}
	r.Wanted[len(r.Wanted)-1].Problem = problem
}

// Following is the floating IP that stays at the balancer beside, which serves, and follows when this
// one does: ours, or the one that was asked for. It is nil where the new balancer gets another one.
func (m *Manager) Following(in cloud.Input) *object.FloatingIP {
	if in.Beside == nil || m.Rules.PlaceOf(in).Internal {
		return nil
	}
	s := beside(in.Known)
	if s == nil || s.Floating == nil {
		return nil
	}
	chosen := m.Rules.PlaceOf(in).FloatingAddress
	if chosen == s.Floating.Address || chosen == "" && m.isOurs(s.Floating, s, in) {
		return s.Floating
	}
	return nil
}

// beside is what was read of the balancer that serves while another one is made.
func beside(known cloud.Known) *object.Snapshot {
	return object.Native.Open(known.Beside.Native)
}
