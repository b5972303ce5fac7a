package octavia

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// floatingIP is what the driver uses of a floating IP of Neutron.
type floatingIP struct {
	ID          string `json:"id"`
	Address     string `json:"floating_ip_address"`
	Port        string `json:"port_id"`
	Description string `json:"description"`
	Network     string `json:"floating_network_id"`
}

func (f floatingIP) Identifier() string { return f.ID }

// listFloatingIPs lists floating IPs of the project: administrators are shown everybody's.
func (d *Balancers) listFloatingIPs(ctx context.Context, query url.Values) ([]floatingIP, error) {
	maps.Copy(query, d.ofProject())
	ips, err := api.ListAll[floatingIP](ctx, d.network, "floatingips", "floatingips", query)
	if err != nil {
		return nil, fmt.Errorf("listing floating IPs: %w", err)
	}
	return ips, nil
}

// addFloatingIPs finds the floating IP at the balancer's port. Where one is wanted and there is
// none, it looks for one that is left of a balancer of this Service that is gone.
func (d *Balancers) addFloatingIPs(ctx context.Context, s *snapshot, spec cloud.Spec) (err error) {
	if s.lb.Port != "" {
		s.floating, err = d.floatingWith(ctx, spec, url.Values{"port_id": {s.lb.Port}}, func(ip floatingIP) bool { return ip.Port == s.lb.Port })
	}
	unwanted := s.lb.ID != "" && (d.wantsInternal(spec) || neutron.IsIPv6(s.lb.Address))
	if err != nil || s.floating != nil || unwanted {
		return err
	}
	made, err := d.floatingOf(ctx, spec, url.Values{"description": {d.marks.FloatingDescription(spec.Ref.Owner)}})
	for i, ip := range made {
		switch {
		case !d.marks.FloatingIsOurs(ip.Description, spec.Ref.Owner, false):
		case ip.Port == "":
			s.free = &made[i]
			return err
		case s.lb.ID != "" && !spec.Deleting:
			s.elsewhere = &made[i]
		}
	}
	return err
}

// floatingWith returns the floating IP that fits, nil when none does.
func (d *Balancers) floatingWith(ctx context.Context, spec cloud.Spec, query url.Values, fits func(floatingIP) bool) (*floatingIP, error) {
	ips, err := d.floatingOf(ctx, spec, query)
	if at := slices.IndexFunc(ips, fits); err == nil && at >= 0 {
		return &ips[at], nil
	}
	return nil, err
}

// floatingOf returns the floating IPs of the bulk list, or those the query leads to.
func (d *Balancers) floatingOf(ctx context.Context, spec cloud.Spec, query url.Values) ([]floatingIP, error) {
	if all, listed := bulkListOf(spec); listed {
		return all.floating, nil
	}
	return d.listFloatingIPs(ctx, query)
}

// addFloatingResources adds the floating IP:
//
//	scope     is at the port  is to be
//	internal  any             released
//	external  none            attached
//	external  none, follows   as it is, but one of upstream's gets the Service's UID, to be found
//	external  any             as it is: another loadBalancerIP is for new balancers. What names
//	                          the cluster follows its name
//
// A tenant has no say in it.
func (d *Balancers) addFloatingResources(ctx context.Context, r *cloud.Resources, s *snapshot, change cloud.Change) {
	spec := change.Spec
	follows := d.following(spec)
	switch internal := change.After.Scope == cloud.ScopeInternal; {
	case spec.Lookups[lookupTenant] != "" || neutron.IsIPv6(s.lb.Address):
	case internal && s.floating != nil:
		*r = d.release(*r, s.floating, spec)
	case internal:
	case s.floating == nil && follows != nil:
		d.claimFloating(r, follows, spec.Ref.Owner)
	case s.floating != nil && d.marks.FormerFloating(s.floating.Description, spec.Ref.Owner):
		changeFloating(r, s.floating, s.floating.Port, d.marks.FloatingDescription(spec.Ref.Owner))
	case s.floating == nil:
		d.attach(ctx, r, s, spec)
	}
}

func floatingResource(ip *floatingIP, port, description string) cloud.Resource {
	return cloud.Resource{Kind: kindFloatingIP, Key: ip.Address, ID: ip.ID, Fields: map[string]any{"port_id": port, "description": description}}
}

// changeFloating adds a floating IP that is there and is to have this port, "" for none, and
// description.
func changeFloating(r *cloud.Resources, ip *floatingIP, port, description string) {
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
func (d *Balancers) attach(ctx context.Context, r *cloud.Resources, s *snapshot, spec cloud.Spec) {
	chosen := chosenFloating(spec)
	switch {
	case chosen != "":
		d.attachAddress(ctx, r, s, spec, chosen)
		return
	case s.free != nil:
		changeFloating(r, s.free, s.lb.Port, s.free.Description)
		return
	}
	made := d.newFloatingIP(s.lb.Port, spec, "")
	if s.elsewhere != nil {
		left, err := d.isLeft(ctx, spec, s.elsewhere.Port)
		if left {
			changeFloating(r, s.elsewhere, s.lb.Port, s.elsewhere.Description)
			return
		}
		made.Problem = err
	}
	r.Wanted = append(r.Wanted, made)
}

func (d *Balancers) attachAddress(ctx context.Context, r *cloud.Resources, s *snapshot, spec cloud.Spec, address string) {
	found, err := d.listFloatingIPs(ctx, url.Values{"floating_ip_address": {address}})
	if len(found) == 0 {
		made := d.newFloatingIP(s.lb.Port, spec, address)
		made.Problem = err
		r.Wanted = append(r.Wanted, made)
		return
	}
	changeFloating(r, &found[0], s.lb.Port, found[0].Description)
	if found[0].Port == "" || found[0].Port == s.lb.Port {
		return
	}
	left, err := d.isLeft(ctx, spec, found[0].Port)
	if err == nil && !left {
		err = &cloud.Invalid{Field: fieldLoadBalancerIP, Value: address, Want: "it is in use at port " + found[0].Port}
	}
	r.Wanted[len(r.Wanted)-1].Problem = err
}

// isLeft reports whether a port is that of another balancer of the Service, which the present one has
// replaced.
func (d *Balancers) isLeft(ctx context.Context, spec cloud.Spec, port string) (bool, error) {
	all, _, err := d.listBalancers(ctx)
	if err != nil {
		return false, fmt.Errorf("listing balancers: %w", err)
	}
	return slices.ContainsFunc(all, func(lb balancer) bool {
		return lb.Port == port && d.marks.ReadClaims(lb.Tags, spec.Ref.Owner).Ours
	}), nil
}

// chosenFloating is the address of the floating IP that was asked for: that of a balancer that has to
// be made again as it was, or loadBalancerIP.
func chosenFloating(spec cloud.Spec) string {
	return cmp.Or(spec.Preserved[fieldFloatingIP], spec.LoadBalancerIP)
}

// following is the floating IP that stays at the balancer beside, which serves, and follows when this
// one does: ours, or the one that was asked for. It is nil where the new balancer gets another one.
func (d *Balancers) following(spec cloud.Spec) *floatingIP {
	if spec.Beside == nil || d.wantsInternal(spec) {
		return nil
	}
	s, ok := spec.Beside.Native.(*snapshot)
	if !ok || s.floating == nil {
		return nil
	}
	chosen := chosenFloating(spec)
	if chosen == s.floating.Address || chosen == "" && d.marks.FloatingIsOurs(s.floating.Description, spec.Ref.Owner, true) {
		return s.floating
	}
	return nil
}

// portOfNew stands for the port of a balancer that is not made yet.
const portOfNew = "of the new balancer"

// addFirstFloating adds the floating IP of a new balancer. It is attached in the next run, when the
// balancer has a port. One with an address that was chosen, and that the project does not have, is
// made before the balancer: most clouds let only administrators choose, and a balancer would wait
// for it for ever. It is found again by its description.
func (d *Balancers) addFirstFloating(ctx context.Context, r *cloud.Resources, s *snapshot, change cloud.Change, made *cloud.Resource) error {
	spec, chosen := change.Spec, chosenFloating(change.Spec)
	switch {
	case d.wantsInternal(spec) || spec.IPv6 || d.floatingNetwork(spec) == noNetwork || d.following(spec) != nil:
		return nil
	case s.free != nil && (chosen == "" || s.free.Address == chosen):
		changeFloating(r, s.free, portOfNew, s.free.Description)
	case chosen == "":
		r.Wanted = append(r.Wanted, d.newFloatingIP(portOfNew, spec, ""))
	default:
		found, err := d.listFloatingIPs(ctx, url.Values{"floating_ip_address": {chosen}})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			reserved := d.newFloatingIP("", spec, chosen)
			r.Wanted = append(r.Wanted, reserved)
			made.Needs = append(made.Needs, reserved.Ref())
			return nil
		}
		changeFloating(r, &found[0], portOfNew, found[0].Description)
	}
	r.Wanted[len(r.Wanted)-1].Needs = []cloud.IDOf{theBalancer(spec)}
	return nil
}

// newFloatingIP is a floating IP at a port, with an address if that is not "".
func (d *Balancers) newFloatingIP(port string, spec cloud.Spec, address string) cloud.Resource {
	return cloud.Resource{
		Kind: kindFloatingIP, Key: cmp.Or(address, "of "+spec.Ref.Owner.String()), Native: spec, Fields: map[string]any{
			"floating_network_id": d.floatingNetwork(spec), "port_id": port, "description": d.marks.FloatingDescription(spec.Ref.Owner),
			"floating_ip_address": address,
		},
	}
}

// createFloatingIP makes a floating IP: where its address was not chosen, in the first subnet that
// has room.
func (d *Balancers) createFloatingIP(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	spec, _ := wanted.Native.(cloud.Spec)
	subnets := []string{""}
	if wanted.Fields["floating_ip_address"] == "" {
		if err := d.checkFloating(ctx, spec); err != nil {
			return "", err
		}
		var err error
		if subnets, err = d.floatingSubnets(ctx, spec); err != nil {
			return "", err
		}
	}
	var err error
	for _, subnet := range subnets {
		body := forCreation(wanted.Fields)
		if subnet != "" {
			body["subnet_id"] = subnet
		}
		_, err = d.network.Post(ctx, d.network.ServiceURL("floatingips"), map[string]any{"floatingip": body}, nil, api.Changed())
		switch api.Classify(err).Class {
		case cloud.FailureConflict, cloud.FailureInvalid, cloud.FailureQuota: // such as a subnet that is full
		default:
			return "", err
		}
	}
	return "", err
}

// updateFloatingIP writes port and description. Only an explicit null detaches it.
func (d *Balancers) updateFloatingIP(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	body := chosen(wanted.Fields, append(fields, "port_id"))
	if body["port_id"] == "" {
		body["port_id"] = nil
	}
	_, err := d.network.Put(ctx, d.network.ServiceURL("floatingips", present.ID), map[string]any{"floatingip": body}, nil, api.Changed())
	return err
}

func (d *Balancers) deleteFloatingIP(ctx context.Context, present cloud.Resource) error {
	return api.Remove(ctx, d.network, "floatingips", present.ID)
}

// floatingNetwork is the network to take a floating IP from: as chosen, else as found.
func (d *Balancers) floatingNetwork(spec cloud.Spec) string {
	return cmp.Or(d.placementOf(spec).FloatingNetwork, spec.Lookups[lookupFloatingNetwork])
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
func (d *Balancers) release(r cloud.Resources, ip *floatingIP, spec cloud.Spec) cloud.Resources {
	if ip == nil {
		return r
	}
	keep := option.KeepFloatingIP.Bool(spec.Options)
	switch ours := d.inherits(ip, spec) || d.marks.FloatingIsOurs(ip.Description, spec.Ref.Owner, true); {
	case ours && !keep:
		r.Present = append(r.Present, floatingResource(ip, ip.Port, ip.Description))
	case ours && spec.Deleting:
		changeFloating(&r, ip, "", "Kept of Service "+spec.Ref.Owner.String())
	default:
		changeFloating(&r, ip, "", ip.Description)
	}
	return r
}

// park detaches a floating IP that was made for the Service, for the balancer that comes in the place
// of this one: its description makes it the Service's. Any other is detached with the balancer.
func (d *Balancers) park(r cloud.Resources, ip *floatingIP, spec cloud.Spec) cloud.Resources {
	if ip != nil && (d.inherits(ip, spec) || d.marks.FloatingIsOurs(ip.Description, spec.Ref.Owner, true)) {
		changeFloating(&r, ip, "", d.marks.FloatingDescription(spec.Ref.Owner))
	}
	return r
}

// inherits reports whether a floating IP at the Service's balancer was made for another Service,
// which shared the balancer.
func (d *Balancers) inherits(ip *floatingIP, spec cloud.Spec) bool {
	return ip.Port != "" && ip.Address != spec.LoadBalancerIP && strings.Contains(ip.Description, mark.FloatingPrefix)
}

// claimFloating gives a floating IP that upstream made for the Service a description with its UID.
func (d *Balancers) claimFloating(r *cloud.Resources, ip *floatingIP, o cloud.Owner) {
	if !d.marks.FloatingIsOurs(ip.Description, o, false) && d.marks.FloatingIsOurs(ip.Description, o, true) {
		changeFloating(r, ip, ip.Port, d.marks.FloatingDescription(o))
	}
}

// floatingSubnets returns the subnets to take a floating IP from, one after the other; "" leaves
// the choice to Neutron.
func (d *Balancers) floatingSubnets(ctx context.Context, spec cloud.Spec) ([]string, error) {
	where, network := d.placementOf(spec), d.floatingNetwork(spec)
	if where.FloatingSubnet != "" || where.FloatingSubnetName == "" && where.FloatingSubnetTags == "" {
		return []string{where.FloatingSubnet}, nil
	}
	all, err := api.ListAll[neutron.Subnet](ctx, d.network, "subnets", "subnets", url.Values{"network_id": {network}})
	if err != nil {
		return nil, fmt.Errorf("listing the subnets of network %s: %w", network, err)
	}
	match, ok := option.CompilePattern(cmp.Or(where.FloatingSubnetName, "*"))
	var ids []string
	for _, s := range all {
		if ok && match(s.Name) && option.MatchTags(where.FloatingSubnetTags, s.Tags) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil, &cloud.Invalid{
			Field: option.FloatingName.Name, Value: strings.TrimSpace(where.FloatingSubnetName + " " + where.FloatingSubnetTags),
			Want: "no subnet of network " + network + " has such a name and such tags",
		}
	}
	return ids, nil
}

// findFloatingNetwork returns the external network to use where none is configured: the first
// with a subnet that is IPv4 or that we are not shown; "" when there is none.
func (d *Balancers) findFloatingNetwork(ctx context.Context) (string, error) {
	type external struct {
		neutron.Network
		Subnets []string `json:"subnets"`
	}
	networks, err := api.ListAll[external](ctx, d.network, "networks", "networks", url.Values{"router:external": {"true"}})
	if err != nil {
		return "", fmt.Errorf("listing external networks: %w", err)
	}
	for _, n := range networks {
		subnets, err := api.ListAll[neutron.Subnet](ctx, d.network, "subnets", "subnets", url.Values{"network_id": {n.ID}})
		if err != nil {
			return "", fmt.Errorf("listing the subnets of network %s: %w", n.ID, err)
		}
		hidden := len(subnets) < len(n.Subnets)
		if hidden || slices.ContainsFunc(subnets, func(s neutron.Subnet) bool { return s.Version == 4 }) {
			return n.ID, nil
		}
	}
	return "", nil
}
