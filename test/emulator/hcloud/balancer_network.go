package hcloud

import (
	"net/netip"
	"slices"
)

var attachRules = []Rule{
	{ID: "attach/network", Where: "POST /load_balancers attach_to_network", Text: "the network exists in the project", Source: guess, IfWrong: "another code; the driver has looked the network up at the start", Status: 404, Code: "not_found"},
	{ID: "attach/one", Where: "attach_to_network", Text: "a load balancer is in one network at most", Source: guess, IfWrong: "it can be in several: the driver leaves another network before it attaches a load balancer to ours, where it could keep both", Status: 422, Code: "load_balancer_already_attached"},
	{ID: "attach/form", Where: "attach_to_network", Text: "ip is an IPv4 address and ip_range an IPv4 network", Source: fromVendor},
	{ID: "attach/subnet", Where: "POST /load_balancers attach_to_network", Text: "the network has a subnet, ip_range when it is given, in the balancer's network zone, with an address left", Source: fromVendor, Status: 422, Code: "no_subnet_available"},
	{ID: "attach/address", Where: "attach_to_network", Text: "ip is in such a subnet, not its gateway, and nobody's", Source: fromVendor, Status: 422, Code: "ip_not_available"},
	{ID: "attach/absent", Where: "detach_from_network", Text: "the balancer is in the network", Source: guess, IfWrong: "another code, or success: the driver reads the balancer first", Status: 422, Code: "load_balancer_not_attached_to_network"},
	{ID: "attach/targets", Where: "detach_from_network", Text: "targets with private addresses go when the balancer leaves its network, as upstream's code says; with Options.DetachKeepsTargets they stay", Source: guess, IfWrong: "the driver is right in both cases: it reads the load balancer again after it left", Silent: true},
	{ID: "public/network", Where: "POST /load_balancers disable_public_interface", Text: "a balancer without a public interface is in a network", Source: fromVendor, Status: 422, Code: "load_balancer_not_attached_to_network"},
	{ID: "public/targets", Where: "disable_public_interface", Text: "no target uses a public address", Source: fromVendor, Status: 422, Code: "targets_without_use_private_ip"},
	{ID: "public/addresses", Where: "enable_public_interface disable_public_interface", Text: "a balancer keeps its public addresses, and answers them, while the interface is off", Source: fromUpstream, Silent: true},
	{ID: "public/same", Where: "enable_public_interface disable_public_interface", Text: "what is so already is no error", Source: guess, IfWrong: "an error: the driver compares before it asks", Silent: true},
}

type attachRequest struct {
	Network int64   `json:"network"`
	IP      *string `json:"ip"`
	IPRange *string `json:"ip_range"`
}

func attachBalancer(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	var body attachRequest
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	if err := body.check(); err != nil {
		return reply{}, err
	}
	return c.change("attach_to_network", b, func() (func(), error) {
		made, err := c.project.attachment(b, body)
		if err != nil {
			return nil, err
		}
		return func() { b.PrivateNet = append(slices.Clone(b.PrivateNet), made) }, nil
	})
}

// check says what is wrong with the form of a request.
func (r *attachRequest) check() error {
	var f fieldErrors
	if r.IP != nil {
		ip, err := netip.ParseAddr(*r.IP)
		f.check(err == nil && ip.Is4(), "attach/form", "ip", "is no IPv4 address")
	}
	if r.IPRange != nil {
		prefix, err := netip.ParsePrefix(*r.IPRange)
		f.check(err == nil && prefix.Addr().Is4(), "attach/form", "ip_range", "is no IPv4 network")
	}
	return f.problem()
}

// attachment finds a balancer's address in a network.
func (p *Project) attachment(b *Balancer, r attachRequest) (BalancerAttached, error) {
	none := BalancerAttached{}
	n, ok := p.networks.byID[r.Network]
	switch {
	case !ok:
		return none, broken("attach/network", "network %d not found", r.Network)
	case len(b.PrivateNet) > 0:
		return none, broken("attach/one", "load balancer is already attached to a network")
	}
	taken := p.taken(n)
	possible := false
	for _, s := range n.Subnets {
		if s.Type == "vswitch" || s.NetworkZone != b.Location.NetworkZone || (r.IPRange != nil && *r.IPRange != s.IPRange) {
			continue
		}
		possible = true
		if ip, ok := s.free(r.IP, taken); ok {
			return BalancerAttached{n.ID, ip}, nil
		}
	}
	if possible && r.IP != nil {
		return none, broken("attach/address", "IP %s is not available", *r.IP)
	}
	return none, broken("attach/subnet", "no subnet or IP is available for the load balancer within the network")
}

// taken are the addresses of a network that somebody has.
func (p *Project) taken(n *Network) map[netip.Addr]bool {
	taken := map[netip.Addr]bool{}
	put := func(ip string) {
		if address, err := netip.ParseAddr(ip); err == nil {
			taken[address] = true
		}
	}
	for _, s := range n.Subnets {
		put(s.Gateway)
	}
	for _, m := range p.machines.all {
		if a := m.in(n.ID); a != nil {
			put(a.IP)
			for _, ip := range a.AliasIPs {
				put(ip)
			}
		}
	}
	for _, b := range p.balancers.all {
		for _, a := range b.PrivateNet {
			if a.Network == n.ID {
				put(a.IP)
			}
		}
	}
	return taken
}

// free is the wanted address of a subnet, or its first free one from .2 on.
func (s *Subnet) free(wanted *string, taken map[netip.Addr]bool) (string, bool) {
	prefix := netip.MustParsePrefix(s.IPRange).Masked()
	if wanted != nil {
		ip := netip.MustParseAddr(*wanted)
		return ip.String(), prefix.Contains(ip) && !taken[ip] && ip != prefix.Addr()
	}
	for ip := prefix.Addr().Next().Next(); prefix.Contains(ip); ip = ip.Next() {
		if !taken[ip] {
			return ip.String(), true
		}
	}
	return "", false
}

type detachRequest struct {
	Network int64 `json:"network"`
}

func detachBalancer(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	var body detachRequest
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	return c.change("detach_from_network", b, func() (func(), error) {
		at := slices.IndexFunc(b.PrivateNet, func(a BalancerAttached) bool { return a.Network == body.Network })
		if at < 0 {
			return nil, broken("attach/absent", "load balancer is not attached to network %d", body.Network)
		}
		return func() {
			b.PrivateNet = slices.Delete(slices.Clone(b.PrivateNet), at, at+1)
			if !c.server.options.DetachKeepsTargets {
				b.Targets = slices.DeleteFunc(slices.Clone(b.Targets), func(t Target) bool { return !t.public() })
			}
		}, nil
	})
}

// public reports whether a target is reached by a public address.
func (t Target) public() bool {
	if t.IP != nil {
		return !netip.MustParseAddr(t.IP.IP).IsPrivate()
	}
	return !t.UsePrivateIP
}

func enablePublic(c *call) (reply, error) {
	b, err := c.balancer()
	if err == nil {
		err = c.empty()
	}
	if err != nil {
		return reply{}, err
	}
	return c.change("enable_public_interface", b, func() (func(), error) {
		return func() { b.PublicNet.Enabled = true }, nil
	})
}

func disablePublic(c *call) (reply, error) {
	b, err := c.balancer()
	if err == nil {
		err = c.empty()
	}
	if err != nil {
		return reply{}, err
	}
	return c.change("disable_public_interface", b, func() (func(), error) {
		switch {
		case len(b.PrivateNet) == 0:
			return nil, broken("public/network", "load balancer is not attached to a network")
		case slices.ContainsFunc(b.Targets, Target.public):
			return nil, broken("public/targets", "the load balancer has targets that use the public IP")
		}
		return func() { b.PublicNet.Enabled = false }, nil
	})
}
