package balancer

import (
	"cmp"
	"context"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
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
	// kindLabel is the label of the network, which follows it.
	kindLabel = "network_label"
)

const yes = "true"

// theBalancer stands for the id of the load balancer.
var theBalancer = cloud.IDOf{Kind: kindBalancer, Key: "load balancer"}

// Resources implements cloud.Composite. A load balancer that was there before the Service is given back: it keeps
// what is neither a service nor a target.
func (b *Balancers) Resources(_ context.Context, change cloud.Change) (r cloud.Resources, err error) {
	s := nativeState.Open(change.Before.Native)
	add := func(present, wanted []cloud.Resource) {
		r.Present, r.Wanted = append(r.Present, present...), append(r.Wanted, wanted...)
	}
	add(s.certificateResources(change))
	add(b.balancers(change, s))
	if change.After != nil || s.own == nil {
		add(b.interfaces(change, s))
		add(s.reverse(change))
	}
	add(b.targets(change, s))
	add(s.services(change))
	add(b.networkLabels(change, s))
	if b.publicFirst(change, s) {
		r.Again = time.Second
	}
	return r, nil
}

// now is the load balancer, an empty one where there is none.
func (s state) now() *hcloud.LoadBalancer { return cmp.Or(s.lb, &hcloud.LoadBalancer{}) }

func idOf(lb *hcloud.LoadBalancer) string { return strconv.FormatInt(lb.ID, 10) }

// balancers are the load balancer as it is and as it has to be. One that is given back has nobody's labels.
func (b *Balancers) balancers(change cloud.Change, s state) (present, wanted []cloud.Resource) {
	before, after := change.Before.Balancer, change.After
	if s.lb != nil {
		present = []cloud.Resource{s.balancer(before)}
	}
	switch {
	case after != nil:
		lb := s.balancer(*after)
		if at := after.ProviderFields[desired.FieldLocation]; at != "" {
			lb.Fields = lb.Fields.With(fieldLocation.Is(at))
		} else {
			lb.Fields = lb.Fields.With(fieldNetworkZone.Is(after.ProviderFields[desired.FieldNetworkZone]))
		}
		if b.labelsAtOnce(change, s) {
			fieldLabels.Of(lb)[label.Network] = networkText(b.Network)
		}
		wanted = []cloud.Resource{lb}
	case s.own != nil && s.lb != nil:
		given := before.Clone()
		given.OwnershipTags = nil
		wanted = []cloud.Resource{s.balancer(given)}
	}
	return present, wanted
}

// balancer is the load balancer of a view. With ownership tags it has the label of its network too.
func (s state) balancer(v cloud.Balancer) cloud.Resource {
	labels := label.With(s.now().Labels, v.OwnershipTags)
	if id := s.now().Labels[label.Network]; id != "" && len(v.OwnershipTags) > 0 {
		labels[label.Network] = id
	}
	r := cloud.Resource{Kind: kindBalancer, Key: theBalancer.Key, Fields: cloud.FieldsOf(
		fieldName.Is(v.Name), fieldType.Is(v.ProviderFields[cloud.FieldSize]), fieldAlgorithm.Is(v.ProviderFields[cloud.FieldAlgorithm]), fieldLabels.Is(labels),
	)}
	if s.lb != nil {
		r.ID = idOf(s.lb)
	}
	return r
}

// reverse are the reverse DNS names. What the Service says nothing of stays. The cloud chooses the address of a load balancer that
// is about to have one: the name follows the next look.
func (s state) reverse(change cloud.Change) (present, wanted []cloud.Resource) {
	public := s.now().PublicNet
	add := func(family string, asked annotation.Key, ip net.IP, name string) {
		named := func(name string) cloud.Resource {
			return part(kindReverse, family, fieldDNSPtr.Is(strings.ToLower(name)))
		}
		if name != "" {
			present = append(present, named(name))
		}
		name = cmp.Or(asked.In(change.Input.Options), name)
		if name == "" || change.After == nil {
			return
		}
		var address cloud.Reference
		switch {
		case ip != nil:
			address = cloud.ToID(ip.String())
		case !public.Enabled && change.After.Scope == cloud.ScopeExternal:
			address = cloud.Reference{Of: theBalancer, Chosen: family}
		default:
			return // it has no such address
		}
		r := named(name)
		r.Fields = r.Fields.With(fieldAddress.Is(address))
		wanted = append(wanted, r)
	}
	add("ipv4", desired.Reverse4, public.IPv4.IP, public.IPv4.DNSPtr)
	add("ipv6", desired.Reverse6, public.IPv6.IP, public.IPv6.DNSPtr)
	return present, wanted
}

// Record implements cloud.Recorder: services and targets have no labels. Of an adopted load balancer the Service has those
// that it has, and those that it is about to have.
func (b *Balancers) Record(change cloud.Change) map[string]string {
	s := nativeState.Open(change.Before.Native)
	if s.own == nil || change.After == nil {
		return nil
	}
	own := maps.Clone(s.own)
	_, services := s.services(change)
	_, targets := b.targets(change, s)
	for _, r := range slices.Concat(services, targets) {
		own[r.Key] = true
	}
	return map[string]string{desired.Parts.Name: strings.Join(slices.Sorted(maps.Keys(own)), ",")}
}
