package openstack

import (
	"context"
	"fmt"
	"net/url"
)

// Servers returns the servers of the project by id, with the addresses of their ports.
func (p *Project) Servers(ctx context.Context) (map[string]Server, error) {
	ports, err := list(ctx, p.Network, "ports", "ports", nil)
	if err != nil {
		return nil, err
	}
	at := map[string]object{}
	for _, port := range ports {
		at[text(port, "device_id")] = port
	}
	all := map[string]Server{}
	for query := (url.Values{}); ; {
		page, err := list(ctx, p.Compute, "servers/detail", "servers", query)
		if err != nil {
			return nil, err
		}
		for _, server := range page {
			s := Server{ID: text(server, "id"), Name: text(server, "name"), Zone: text(server, "OS-EXT-AZ:availability_zone")}
			s.PortID, s.Address = text(at[s.ID], "id"), ipv4(at[s.ID])
			all[s.ID] = s
			query.Set("marker", s.ID)
		}
		if len(page) == 0 {
			return all, nil
		}
	}
}

// LoadBalancer is what tests of all clouds have to know of a load balancer.
type LoadBalancer struct {
	ID, Name, Status string
	Addresses        []string
	// Listeners are as in "TCP/80"; Members are addresses, each as often as there are pools with it.
	Listeners, Members []string
}

// Balancers returns the load balancers of the project.
func (p *Project) Balancers(ctx context.Context) ([]LoadBalancer, error) {
	found, err := list(ctx, p.Balancer, "lbaas/loadbalancers", "loadbalancers", nil)
	if err != nil {
		return nil, err
	}
	floating, err := list(ctx, p.Network, "floatingips", "floatingips", nil)
	if err != nil {
		return nil, err
	}
	var all []LoadBalancer
	for _, lb := range found {
		one := LoadBalancer{ID: text(lb, "id"), Name: text(lb, "name"), Status: text(lb, "provisioning_status"), Addresses: []string{text(lb, "vip_address")}}
		for _, ip := range floating {
			if text(ip, "port_id") == text(lb, "vip_port_id") {
				one.Addresses = append(one.Addresses, text(ip, "floating_ip_address"))
			}
		}
		if err := p.parts(ctx, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// parts reads what belongs to a load balancer.
func (p *Project) parts(ctx context.Context, lb *LoadBalancer) error {
	of := url.Values{"loadbalancer_id": {lb.ID}}
	listeners, err := list(ctx, p.Balancer, "lbaas/listeners", "listeners", of)
	if err != nil {
		return err
	}
	for _, listener := range listeners {
		lb.Listeners = append(lb.Listeners, fmt.Sprintf("%s/%v", text(listener, "protocol"), listener["protocol_port"]))
	}
	pools, err := list(ctx, p.Balancer, "lbaas/pools", "pools", of)
	if err != nil {
		return err
	}
	for _, pool := range pools {
		members, err := list(ctx, p.Balancer, "lbaas/pools/"+text(pool, "id")+"/members", "members", nil)
		if err != nil {
			return err
		}
		for _, member := range members {
			lb.Members = append(lb.Members, text(member, "address"))
		}
	}
	return nil
}
