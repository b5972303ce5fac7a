package hcloud

import (
	"net/netip"
	"regexp"
)

var changeRules = []Rule{
	{ID: "type/fits", Where: "change_type", Text: "the balancer has no more services, targets and certificates than the new type allows, and not the type already", Source: fromVendor, Status: 422, Code: "invalid_load_balancer_type"},
	{ID: "dns/ip", Where: "change_dns_ptr", Text: "the address is one of the balancer's", Source: guess, IfWrong: "another code; the driver reads the addresses first"},
	{ID: "dns/name", Where: "change_dns_ptr", Text: "dns_ptr is a full domain name without the dot at the end, or null for the default", Source: fromVendor},
	{ID: "protection/field", Where: "change_protection", Text: "delete is given", Source: guess, IfWrong: "nothing for a driver: it gives the field"},
}

func (a *Algorithm) known() bool { return a.Type == "round_robin" || a.Type == "least_connections" }

func changeAlgorithm(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	var body Algorithm
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	if !body.known() {
		return reply{}, invalid("balancer/algorithm", "type", "is none of round_robin, least_connections")
	}
	return c.change("change_algorithm", b, func() (func(), error) {
		return func() { b.Algorithm = body }, nil
	})
}

type typeRequest struct {
	Type reference `json:"load_balancer_type"`
}

func changeType(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	var body typeRequest
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	return c.change("change_load_balancer_type", b, func() (func(), error) {
		t, err := c.orderable(body.Type)
		if err != nil {
			return nil, err
		}
		if t.ID == b.Type.ID || c.project.weight(b.Targets...) > t.MaxTargets || c.project.fits(t, b.Services, "") != nil {
			return nil, broken("type/fits", "load balancer type %s does not fit", t.Name)
		}
		return func() { b.Type = t }, nil
	})
}

type protectionRequest struct {
	Delete *bool `json:"delete"`
}

func changeProtection(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	var body protectionRequest
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	if body.Delete == nil {
		return reply{}, invalid("protection/field", "delete", "is required")
	}
	return c.change("change_protection", b, func() (func(), error) {
		return func() { b.Protection.Delete = *body.Delete }, nil
	})
}

type dnsRequest struct {
	IP     string  `json:"ip"`
	DNSPtr *string `json:"dns_ptr"`
}

var domainName = regexp.MustCompile(`^(\*\.)?([a-zA-Z0-9_]([-a-zA-Z0-9_]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$`)

func changeDNSPtr(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	var body dnsRequest
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	return c.change("change_dns_ptr", b, func() (func(), error) {
		address := b.address(body.IP)
		var f fieldErrors
		f.check(address != nil, "dns/ip", "ip", "is no address of the load balancer")
		f.check(body.DNSPtr == nil || domainName.MatchString(*body.DNSPtr), "dns/name", "dns_ptr", "is no full domain name")
		if err := f.problem(); err != nil {
			return nil, err
		}
		return func() {
			address.DNSPtr = defaultPtr(address.IP)
			set(&address.DNSPtr, body.DNSPtr)
		}, nil
	})
}

// address finds a public address of the balancer, however it is written; nil for none.
func (b *Balancer) address(text string) *PrimaryIP {
	wanted, err := netip.ParseAddr(text)
	for _, one := range []*PrimaryIP{&b.PublicNet.IPv4, &b.PublicNet.IPv6} {
		if have, failed := netip.ParseAddr(one.IP); err == nil && failed == nil && have == wanted {
			return one
		}
	}
	return nil
}

// defaultPtr is the name of an address before it gets another.
func defaultPtr(ip string) string { return "static." + ip + ".clients.example.com" }
