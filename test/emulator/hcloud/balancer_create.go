package hcloud

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
)

type balancerRequest struct {
	Name            *string            `json:"name"`
	Type            reference          `json:"load_balancer_type"`
	Algorithm       *Algorithm         `json:"algorithm"`
	Location        *string            `json:"location"`
	NetworkZone     *string            `json:"network_zone"`
	Labels          *map[string]string `json:"labels"`
	Targets         []targetRequest    `json:"targets"`
	Services        []serviceRequest   `json:"services"`
	PublicInterface *bool              `json:"public_interface"`
	PublicNet       *publicNetRequest  `json:"public_net"`
	Network         *int64             `json:"network"`
}

type publicNetRequest struct {
	IPv4 *int64 `json:"ipv4"`
	IPv6 *int64 `json:"ipv6"`
}

func createBalancer(c *call) (reply, error) {
	var body balancerRequest
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	t, err := c.orderable(body.Type)
	if err != nil {
		return reply{}, err
	}
	b, targets, err := body.balancer(t)
	if err != nil {
		return reply{}, err
	}
	p := c.project
	if err := p.balancerNameFree(b.Name, 0); err != nil {
		return reply{}, err
	}
	if p.limit > 0 && len(p.balancers.all) >= p.limit {
		return reply{}, broken("balancer/limit", "load balancer limit of %d exceeded", p.limit)
	}
	if err := p.complete(b, body.Network, targets); err != nil {
		return reply{}, err
	}
	b.ID, b.Created = c.server.newID("load_balancer"), c.server.now()
	i := int(b.ID - firstIDs["load_balancer"])
	b.PublicNet.IPv4 = c.server.primaryIP(hostIn(198, 19, i))
	b.PublicNet.IPv6 = c.server.primaryIP(netip.MustParseAddr(fmt.Sprintf("2001:db8:2:%x::1", i)).String())
	p.balancers.put(b)
	view := p.balancerView(b)
	a := c.begin(&action{Command: "create_load_balancer", Resources: []resource{b.resource()}, plan: nothing}, c.server.options.Delay)
	return accepted("load_balancer", view, &a), nil
}

// nothing is the plan of a creation, which is carried out at once.
func nothing() (func(), error) { return func() {}, nil }

func (s *Server) primaryIP(ip string) PrimaryIP {
	return PrimaryIP{ID: s.newID("primary_ip"), IP: ip, DNSPtr: defaultPtr(ip)}
}

// balancer checks the form of a request and returns the balancer it asks for, without network and
// targets.
func (r *balancerRequest) balancer(t *BalancerType) (*Balancer, []Target, error) {
	var f fieldErrors
	b := &Balancer{Type: t, Labels: map[string]string{}, Algorithm: Algorithm{Type: "round_robin"}, PublicNet: BalancerPublicNet{Enabled: true}}
	set(&b.Name, r.Name)
	set(&b.Labels, r.Labels)
	set(&b.Algorithm, r.Algorithm)
	set(&b.PublicNet.Enabled, r.PublicInterface)
	f.name(b.Name)
	f.labels(b.Labels)
	f.check(b.Algorithm.known(), "balancer/algorithm", "algorithm.type", "is none of round_robin, least_connections")
	f.check(r.PublicNet == nil || (r.PublicNet.IPv4 == nil && r.PublicNet.IPv6 == nil), "balancer/primary-ip", "public_net", "primary IP does not exist")
	b.Location = r.place(&f)
	for i := range r.Services {
		s := r.Services[i].on(Service{})
		s.check(&f, "services."+strconv.Itoa(i)+".")
		b.Services = append(b.Services, s)
	}
	var targets []Target
	for i := range r.Targets {
		targets = append(targets, r.Targets[i].target(&f, "targets."+strconv.Itoa(i)+"."))
	}
	return b, targets, f.problem()
}

// place finds where the balancer will be.
func (r *balancerRequest) place(f *fieldErrors) *location {
	f.check((r.Location == nil) != (r.NetworkZone == nil), "balancer/place", "location", "either location or network_zone must be given")
	if r.Location != nil {
		at := locationNamed(*r.Location)
		f.check(at != nil, "balancer/place", "location", "there is no location %q", *r.Location)
		return at
	}
	if r.NetworkZone == nil {
		return nil
	}
	at := slices.IndexFunc(locations.all, func(l *location) bool { return l.NetworkZone == *r.NetworkZone })
	if at < 0 {
		f.add("balancer/place", "network_zone", "there is no network zone %q", *r.NetworkZone)
		return nil
	}
	return locations.all[at]
}

// complete puts a new balancer into its network and gives it its targets.
func (p *Project) complete(b *Balancer, network *int64, targets []Target) error {
	if err := p.fits(b.Type, b.Services, "services."); err != nil {
		return err
	}
	if network != nil {
		made, err := p.attachment(b, attachRequest{Network: *network})
		if err != nil {
			return err
		}
		b.PrivateNet = []BalancerAttached{made}
	}
	if !b.PublicNet.Enabled && len(b.PrivateNet) == 0 {
		return broken("public/network", "load balancer is not attached to a network")
	}
	for _, t := range targets {
		if err := p.addable(b, t); err != nil {
			return err
		}
		b.Targets = append(b.Targets, t)
	}
	return nil
}
