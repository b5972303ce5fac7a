package balancer

import (
	"context"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The kinds of resources, by their names in the API.
const (
	kindCertificate = "certificate"
	kindBalancer    = "load_balancer"
	kindPublic      = "public_interface"
	kindNetwork     = "network"
	kindTarget      = "target"
	kindService     = "service"
	kindReverse     = "dns_ptr"
)

// theBalancer stands for the id of the load balancer.
var theBalancer = cloud.IDOf{Kind: kindBalancer, Key: "load balancer"}

// ResourceKinds implements cloud.Composite.
func (b *Balancers) ResourceKinds() []cloud.ResourceKind {
	brought := []string{kindPublic, kindNetwork, kindTarget, kindService}
	return []cloud.ResourceKind{
		{
			Name: kindCertificate, OfService: true, Last: []string{"issuance"},
			Create: b.createCertificate, Update: b.updateCertificate, Delete: b.deleteCertificate,
		},
		{
			Name: kindBalancer, Anchor: true, Brings: brought, Takes: append(brought, kindReverse),
			Separate: []string{"load_balancer_type", "algorithm"}, Last: []string{"network_label"},
			Create: b.create, Update: b.update,
			Delete: func(ctx context.Context, present cloud.Resource) error {
				return b.remove(ctx, "/load_balancers/"+present.ID)
			},
		},
		{Name: kindPublic, Create: b.action("enable_public_interface"), Delete: b.undo("disable_public_interface")},
		{Name: kindNetwork, Immutable: []string{"network", "ip"}, Create: b.action("attach_to_network", "network", "ip", "ip_range"), Delete: b.undo("detach_from_network", "network")},
		{Name: kindTarget, Immutable: []string{"use_private_ip"}, Create: targetWrites{b}.add, Delete: targetWrites{b}.remove},
		{Name: kindService, Create: b.action("add_service", serviceFields...), Update: b.updateService, Delete: b.undo("delete_service", "listen_port")},
		{Name: kindReverse, Create: b.createReverse, Update: b.updateReverse, Delete: func(context.Context, cloud.Resource) error { return nil }},
	}
}

// Resources implements cloud.Composite.
func (b *Balancers) Resources(_ context.Context, change cloud.Change) (r cloud.Resources, err error) {
	s, _ := change.Before.Native.(state)
	before := &change.Before.Balancer
	r.Present = s.certificateResources()
	if s.lb != nil {
		r.Present = append(r.Present, balancerResource(*before, s))
		r.Present = append(r.Present, b.parts(*before, s)...)
		r.Present = append(r.Present, s.targetResources()...)
	}
	if change.After == nil {
		if s.own != nil && s.lb != nil { // it is given back
			given := before.Clone()
			given.OwnershipTags = nil
			lb := balancerResource(given, s)
			lb.Fields["network_label"] = ""
			r.Wanted = []cloud.Resource{lb}
			r.Present = slices.DeleteFunc(r.Present, func(r cloud.Resource) bool {
				return r.Kind == kindPublic || r.Kind == kindNetwork || r.Kind == kindReverse
			})
		}
		return r, nil
	}
	r.Wanted = b.wanted(change, s)
	return r, nil
}

// wanted are the resources as they have to be.
func (b *Balancers) wanted(change cloud.Change, s state) []cloud.Resource {
	after := *change.After
	lb := balancerResource(after, s)
	fields := after.ProviderFields
	if at := fields[fieldLocation]; at != "" {
		lb.Fields["location"] = at
	} else {
		lb.Fields["network_zone"] = fields[fieldNetworkZone]
	}
	b.labelNetwork(lb, after, s)
	certificates := s.certificateResources()
	if !onlyTargets(change) {
		certificates = s.wantedCertificate(change.Spec, after)
	}
	wanted := slices.Concat(certificates, []cloud.Resource{lb})
	if after.Scope == cloud.ScopeExternal {
		wanted = append(wanted, part(kindPublic, "public", nil))
	}
	if b.Network != 0 {
		wanted = append(wanted, b.attachment(change.Spec))
	}
	wanted = append(wanted, b.wantedTargets(change, s)...)
	for _, l := range after.Listeners {
		wanted = append(wanted, s.served(service(l)))
	}
	return append(wanted, s.reverse(change.Spec)...)
}

// labelNetwork adds the label of the network. Where it says another one so far, it changes last. A load
// balancer of somebody else that was in the network already gets none, and stays in it.
func (b *Balancers) labelNetwork(lb cloud.Resource, after cloud.Balancer, s state) {
	id := ""
	theirs := s.own != nil && s.lb.PrivateNetFor(&hcloud.Network{ID: b.Network}) != nil && s.lb.Labels[labelNetwork] == ""
	if b.Network != 0 && len(after.OwnershipTags) > 0 && !theirs {
		id = strconv.FormatInt(b.Network, 10)
	}
	if id != "" && lb.Fields["network_label"] == "" {
		lb.Fields["labels"].(map[string]string)[labelNetwork] = id
	} else {
		lb.Fields["network_label"] = id
	}
}

// part is a resource that belongs to the load balancer.
func part(kind, key string, fields map[string]any) cloud.Resource {
	r := cloud.Resource{Kind: kind, Key: key, ID: key, Fields: map[string]any{"load_balancer": theBalancer}}
	maps.Copy(r.Fields, fields)
	return r
}

func balancerResource(v cloud.Balancer, s state) cloud.Resource {
	r := cloud.Resource{Kind: kindBalancer, Key: theBalancer.Key, Fields: map[string]any{
		"name": v.Name, "load_balancer_type": v.ProviderFields[cloud.FieldSize], "algorithm": v.ProviderFields[cloud.FieldAlgorithm],
		"labels": withTags(nil, v.OwnershipTags), "network_label": "",
	}}
	if s.lb != nil {
		r.ID, r.Fields["labels"], r.Fields["network_label"] = idOf(s.lb), withTags(s.lb.Labels, v.OwnershipTags), s.lb.Labels[labelNetwork]
	}
	return r
}

// parts are the public interface, the networks that are ours to change, the services of a view, and
// the reverse DNS names.
func (b *Balancers) parts(v cloud.Balancer, s state) []cloud.Resource {
	var list []cloud.Resource
	if s.lb.PublicNet.Enabled {
		list = append(list, part(kindPublic, "public", nil))
	}
	for _, attached := range s.lb.PrivateNet {
		if attached.Network == nil {
			continue
		}
		if id := attached.Network.ID; id == b.Network || strconv.FormatInt(id, 10) == s.lb.Labels[labelNetwork] {
			list = append(list, network(id, map[string]any{"ip": attached.IP.String()}))
		}
	}
	for _, l := range v.Listeners {
		list = append(list, service(l))
	}
	for key, ptr := range map[string]string{"ipv4": s.lb.PublicNet.IPv4.DNSPtr, "ipv6": s.lb.PublicNet.IPv6.DNSPtr} {
		if ptr != "" {
			list = append(list, part(kindReverse, key, map[string]any{"dns_ptr": strings.ToLower(ptr)}))
		}
	}
	return list
}

// network is the network that a load balancer is attached to, of which there is one.
func network(id int64, fields map[string]any) cloud.Resource {
	r := part(kindNetwork, "private", fields)
	r.Fields["network"] = id
	return r
}

// attachment is the network as it has to be. An address or a subnet can be asked for only by itself.
func (b *Balancers) attachment(spec cloud.Spec) cloud.Resource {
	r := network(b.Network, nil)
	if ip := address.In(spec.Options); ip != "" {
		r.Fields["ip"], r.Alone = ip, true
	} else if at := subnet.In(spec.Options); at != "" {
		r.Fields["ip_range"], r.Alone = at, true
	}
	return r
}

// reverse are the reverse DNS names. What the Service says nothing of stays.
func (s state) reverse(spec cloud.Spec) []cloud.Resource {
	present := map[string]string{}
	ips := map[string]net.IP{}
	if s.lb != nil {
		present["ipv4"], present["ipv6"] = s.lb.PublicNet.IPv4.DNSPtr, s.lb.PublicNet.IPv6.DNSPtr
		ips["ipv4"], ips["ipv6"] = s.lb.PublicNet.IPv4.IP, s.lb.PublicNet.IPv6.IP
	}
	var list []cloud.Resource
	for key, wanted := range map[string]string{"ipv4": reverse4.In(spec.Options), "ipv6": reverse6.In(spec.Options)} {
		if wanted == "" {
			wanted = present[key]
		}
		if wanted != "" {
			r := part(kindReverse, key, map[string]any{"dns_ptr": strings.ToLower(wanted)})
			r.Native = ips[key]
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b cloud.Resource) int { return strings.Compare(a.Key, b.Key) })
	return list
}
