package balancer

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// networkOf is the network that a load balancer is in: ours, else another one, 0 for none.
func (b *Balancers) networkOf(lb *hcloud.LoadBalancer) (id int64) {
	for _, attached := range lb.PrivateNet {
		if at := attached.Network; at != nil && (id == 0 || at.ID == b.Network) {
			id = at.ID
		}
	}
	return id
}

// networkText is the id of a network, "" for none.
func networkText(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

// staysElsewhere reports whether a load balancer is in another network that it does not leave for ours:
//
//	the load balancer             is in another network by   leaves it
//	is the Service's              anybody                    yes
//	was there before the Service  us                         yes
//	was there before the Service  somebody else              no
func (b *Balancers) staysElsewhere(s state) bool {
	at := b.networkOf(s.now())
	return b.Network != 0 && s.own != nil && at != 0 && at != b.Network && networkText(at) != s.now().Labels[label.Network]
}

// isIn reports whether an address is one of the load balancer in a network.
func isIn(lb *hcloud.LoadBalancer, ip string) bool {
	return slices.ContainsFunc(lb.PrivateNet, func(at hcloud.LoadBalancerPrivateNet) bool { return at.IP.String() == ip })
}

// interfaces are the public interface, and the network that is ours to change. An address or a subnet of the network
// can be asked for only by itself.
func (b *Balancers) interfaces(change cloud.Change, s state) (present, wanted []cloud.Resource) {
	public := part(kindPublic, "public")
	if s.now().PublicNet.Enabled {
		present = append(present, public)
	}
	for _, attached := range s.now().PrivateNet {
		at := attached.Network
		if at != nil && (b.Network != 0 && at.ID == b.networkOf(s.lb) || networkText(at.ID) == s.lb.Labels[label.Network]) {
			present = append(present, network(at.ID, fieldNetworkIP.Is(attached.IP.String())))
		}
	}
	if change.After == nil {
		return present, nil
	}
	if change.After.Scope == cloud.ScopeExternal || b.publicFirst(change, s) {
		wanted = append(wanted, public)
	}
	switch {
	case b.Network != 0 && (b.networkOf(s.now()) == 0 || change.After.ProviderFields[desired.FieldNetwork] == networkText(b.Network)):
		wanted = append(wanted, b.wantedNetwork(change, s))
	case b.Network != 0, slices.ContainsFunc(s.now().Targets, isPrivate): // without it they would be lost
		wanted = append(wanted, slices.DeleteFunc(slices.Clone(present), func(r cloud.Resource) bool { return r.Kind != kindNetwork })...)
	}
	return present, wanted
}

// publicFirst reports whether a load balancer is made with a public interface that goes as soon as it is in its network: the API
// wants one or the other, and the request that makes it has no place for an address or a subnet.
func (b *Balancers) publicFirst(change cloud.Change, s state) bool {
	return s.lb == nil && change.After != nil && change.After.Scope == cloud.ScopeInternal && b.Network != 0 && b.wantedNetwork(change, s).Alone
}

// wantedNetwork is the network of the configuration. A change of targets alone leaves the address as it is.
func (b *Balancers) wantedNetwork(change cloud.Change, s state) cloud.Resource {
	r := network(b.Network)
	r.Native = nativePlacement.Seal(placement{lb: s.now(), candidates: change.Input.Candidates})
	if asked := desired.Address.In(change.Input.Options); asked != "" {
		ip := cmp.Or(change.After.ProviderFields[cloud.FieldAddress], asked)
		r.Fields, r.Alone = r.Fields.With(fieldNetworkIP.Is(ip)), true
		r.Otherwise = new(network(b.Network))
	} else if at := desired.Subnet.In(change.Input.Options); at != "" {
		r.Fields, r.Alone = r.Fields.With(fieldIPRange.Is(at)), true
	}
	return r
}

// network is the network that a load balancer is attached to, of which there is one.
func network(id int64, fields ...cloud.FieldValue) cloud.Resource {
	return part(kindNetwork, "private", append(fields, fieldNetwork.Is(id))...)
}

// attach attaches a load balancer to a network, at an address, in a subnet, or anywhere.
func (w writer) attach(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	fields, ip := []cloud.AnyField{fieldNetwork, fieldIPRange}, fieldNetworkIP.Of(wanted)
	if ip != "" {
		fields[1] = fieldNetworkIP
	}
	err := w.act(ctx, wanted, "attach_to_network", body(wanted, fields...))
	if class := api.Classify(err).Class; ip != "" && class == cloud.FailureInvalid {
		err = fmt.Errorf("%s: %s is not possible: %w", desired.Address.Name, ip, err)
	}
	return wanted.Key, err
}

// placement is what has to be known of a load balancer that is about to move within its network, or to another one.
type placement struct {
	lb         *hcloud.LoadBalancer
	candidates []cloud.Target
}

var nativePlacement cloud.NativeOf[placement]

// fits says why a load balancer cannot be attached as it has to be, as far as lists say so. Until it is detached nothing is lost.
func (b *Balancers) fits(ctx context.Context, present, wanted cloud.Resource) error {
	place := nativePlacement.Open(wanted.Native)
	id := fieldNetwork.Of(wanted)
	to, _, err := b.API.Network.GetByID(ctx, id)
	switch {
	case err != nil:
		return api.Failed("reading the network", err)
	case to == nil:
		return notIn(id, "want the id or name of a network of the token's project")
	case to.ID != id || to.IPRange == nil:
		return fmt.Errorf("reading the network: %w", cloud.ErrIncomplete)
	case fieldNetwork.Of(present) != id:
		if err := place.reaches(to); err != nil {
			return err
		}
	}
	text := fieldNetworkIP.Of(wanted)
	ip := net.ParseIP(text)
	if ip == nil {
		return nil
	}
	why := place.room(to, ip)
	if why == "" {
		why, err = b.user(ctx, id, ip)
	}
	if why == "" || err != nil {
		return err
	}
	return &cloud.Invalid{Field: desired.Address.Name, Value: text, Want: why}
}

func notIn(network int64, why string) error {
	return &cloud.Invalid{Field: config.EnvNetwork, Value: networkText(network), Want: why}
}

// reaches says why a load balancer must not move to another network: targets that are reached by their private address are lost
// where they are not in it. More than half of them go only with proof, as a new process has none, see the kernel's target.hold.
//
//	nodes in the network  targets that are not  moves
//	none                  any                   no
//	some                  more than half        no
//	some                  half or fewer         yes
func (p placement) reaches(to *hcloud.Network) error {
	has := func(id int64) bool {
		return slices.ContainsFunc(to.Servers, func(s *hcloud.Server) bool { return s.ID == id })
	}
	inside := slices.ContainsFunc(p.candidates, func(t cloud.Target) bool {
		if id, isServer := api.ID(string(t.InstanceID)); isServer {
			return has(id)
		}
		return to.IPRange.Contains(net.ParseIP(desired.AddressOf(t, true)))
	})
	if !inside {
		return notIn(to.ID, "no node is in this network, so the load balancer stays where it is")
	}
	private, lost := 0, 0
	for _, t := range p.lb.Targets {
		if !isPrivate(t) {
			continue
		}
		private++
		if t.Server != nil && !has(t.Server.Server.ID) || t.IP != nil && !to.IPRange.Contains(net.ParseIP(t.IP.IP)) {
			lost++
		}
	}
	if 2*lost > private {
		return notIn(to.ID, fmt.Sprintf("%d of the %d targets are not in this network, so the load balancer stays where it is", lost, private))
	}
	return nil
}

// isPrivate reports whether a target is reached by its private address.
func isPrivate(t hcloud.LoadBalancerTarget) bool {
	if t.Type == hcloud.LoadBalancerTargetTypeServer {
		return t.UsePrivateIP && t.Server != nil && t.Server.Server != nil
	}
	return t.IP != nil && net.ParseIP(t.IP.IP).IsPrivate()
}

// room says why an address is none for a load balancer: it has to be in a subnet of the load balancer's zone. "" where it is.
func (p placement) room(in *hcloud.Network, ip net.IP) string {
	for _, subnet := range in.Subnets {
		if subnet.Type == hcloud.NetworkSubnetTypeVSwitch || subnet.IPRange == nil || !subnet.IPRange.Contains(ip) {
			continue
		}
		switch {
		case p.lb.Location != nil && subnet.NetworkZone != p.lb.Location.NetworkZone:
			return "its subnet is in another network zone than the load balancer"
		case ip.Equal(subnet.Gateway), ip.Equal(subnet.IPRange.IP):
			return "it is the address of the subnet " + subnet.IPRange.String() + ", or of its gateway"
		}
		return ""
	}
	return "want an address in a subnet of the network, which is no vSwitch"
}

// user says who has an address of a network, "" where nobody has it. What a list lacks is refused later.
func (b *Balancers) user(ctx context.Context, network int64, ip net.IP) (string, error) {
	servers, err := api.Pages(func(opts hcloud.ListOpts) ([]*hcloud.Server, *hcloud.Response, error) {
		return b.API.Server.List(ctx, hcloud.ServerListOpts{ListOpts: opts})
	})
	if err != nil {
		return "", api.Failed("listing servers", err)
	}
	for _, server := range servers.Items {
		for _, at := range server.PrivateNet {
			if at.Network != nil && at.Network.ID == network && (at.IP.Equal(ip) || slices.ContainsFunc(at.Aliases, ip.Equal)) {
				return "server " + server.Name + " has it", nil
			}
		}
	}
	balancers, err := b.all(ctx)
	for _, lb := range balancers {
		if at := lb.PrivateNetFor(&hcloud.Network{ID: network}); at != nil && at.IP.Equal(ip) {
			return "load balancer " + lb.Name + " has it", nil
		}
	}
	return "", err
}
