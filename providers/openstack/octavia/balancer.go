package octavia

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
)

// balancerKind is the balancer itself. It is made with all it has in one request, and deleted with
// all of it, unless the provider can't.
func (d *Balancers) balancerKind() cloud.ResourceKind {
	kind := d.part(kindBalancer, "loadbalancer", pathBalancers)
	kind.Anchor = true
	kind.Last = []string{"name", "description"} // listeners without tags are known by the balancer's name
	children := []string{kindPool, kindMember, kindMonitor, kindListener}
	if !d.config.Serial {
		kind.Brings = children
	}
	kind.Create = d.createBalancer
	if d.config.CascadeDelete {
		kind.Takes = children
		kind.Delete = func(ctx context.Context, present cloud.Resource) error {
			_, err := d.client.Delete(ctx, d.client.ServiceURL(pathBalancers, present.ID)+"?cascade=true", nil)
			if api.IsNotFound(err) {
				return nil
			}
			return err
		}
	}
	return kind
}

func (d *Balancers) presentBalancer(s *snapshot, spec cloud.Spec) cloud.Resource {
	return cloud.Resource{Kind: kindBalancer, Key: theBalancer(spec).Key, ID: s.lb.ID, Fields: map[string]any{
		"name": s.lb.Name, "description": s.lb.Description, "tags": s.lb.Tags,
	}}
}

// wantedBalancer is the balancer with its tags and, where it is the Service's own, its name.
func (d *Balancers) wantedBalancer(s *snapshot, change cloud.Change) cloud.Resource {
	spec := change.Spec
	r := cloud.Resource{Kind: kindBalancer, Key: theBalancer(spec).Key, Fields: map[string]any{
		"tags": d.tagsWith(s.lb.Tags, change.After.OwnershipTags, spec.Ref.Owner),
	}}
	if spec.Lookups[lookupTenant] == "" && s.lb.Name != change.After.Name {
		r.Fields["name"] = change.After.Name
		if strings.HasPrefix(s.lb.Description, mark.DescriptionPrefix) {
			r.Fields["description"] = d.marks.Description(spec.Ref.Owner)
		}
	}
	return r
}

// tagsWith returns the tags of a balancer with these marks of the Service, and as they are where it
// has them.
func (d *Balancers) tagsWith(have, marks []string, o cloud.Owner) []string {
	if !d.can(ableTags) || slices.Equal(d.marks.ObservedMarks(have, o), marks) {
		return have
	}
	return d.marks.ReplaceMarks(have, marks, o)
}

// newBalancer is a balancer that is to be made there; other is the subnet of its second address, ""
// for none.
func (d *Balancers) newBalancer(change cloud.Change, where config.Placement, other string) cloud.Resource {
	spec, b := change.Spec, change.After
	fields := map[string]any{
		"name": b.Name, "description": d.marks.Description(spec.Ref.Owner),
		"provider":  cmp.Or(spec.Preserved[fieldProvider], d.config.Provider),
		"flavor_id": b.ProviderFields[fieldFlavor], "availability_zone": b.ProviderFields[fieldZone],
		"vip_port_id": portOfVIP(spec), "vip_address": b.ProviderFields[fieldAddress],
		"vip_subnet_id": where.Subnet, "vip_network_id": where.Network,
	}
	if d.can(ableTags) {
		fields["tags"] = b.OwnershipTags
	}
	if other != "" {
		fields["additional_vips"] = []additionalIP{{Subnet: other}}
	}
	return cloud.Resource{Kind: kindBalancer, Key: theBalancer(spec).Key, Fields: fields}
}

// createBalancer makes a balancer together with what it brings. What is left by a crash is found
// again by its tag.
func (d *Balancers) createBalancer(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
	body := forCreation(wanted.Fields)
	if !d.config.Serial {
		body["listeners"] = populated(with)
	}
	id, err := d.post(ctx, "loadbalancer", body, pathBalancers)
	if err == nil && id == "" {
		err = api.ErrUnreadable
	}
	return id, err
}

// populated are the bodies of listeners with what is behind them.
func populated(all []cloud.Resource) []map[string]any {
	var listeners []map[string]any
	for _, r := range all {
		if r.Kind != kindListener {
			continue
		}
		body := forCreation(r.Fields)
		delete(body, "loadbalancer_id")
		delete(body, "default_pool_id")
		if ref, leads := r.Fields["default_pool_id"].(cloud.IDOf); leads {
			body["default_pool"] = populatedPool(find(all, ref), all)
		}
		listeners = append(listeners, body)
	}
	return listeners
}

func populatedPool(p *cloud.Resource, all []cloud.Resource) map[string]any {
	body := forCreation(p.Fields)
	delete(body, "loadbalancer_id")
	var members []map[string]any
	for _, r := range all {
		switch {
		case r.Fields["pool_id"] != p.Ref():
		case r.Kind == kindMember:
			members = append(members, forCreation(memberBody(r)))
		case r.Kind == kindMonitor:
			monitor := forCreation(r.Fields)
			delete(monitor, "pool_id")
			body["healthmonitor"] = monitor
		}
	}
	if members != nil {
		body["members"] = members
	}
	return body
}
