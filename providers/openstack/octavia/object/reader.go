// Package object reads load balancers with all that belongs to them in Octavia and Neutron.
package object

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// Reader reads load balancers and what belongs to them in Neutron.
type Reader struct {
	Client, Network *gophercloud.ServiceClient
	// Project is the id of the project the token is for.
	Project string
}

// FloatingIPs lists floating IPs of the project: administrators are shown everybody's.
func (r *Reader) FloatingIPs(ctx context.Context, query url.Values) ([]FloatingIP, error) {
	maps.Copy(query, r.OfProject())
	ips, err := api.ListAll[FloatingIP](ctx, r.Network, "floatingips", "floatingips", query)
	if err != nil {
		return nil, fmt.Errorf("listing floating IPs: %w", err)
	}
	return ips, nil
}

// Groups lists security groups of the project.
func (r *Reader) Groups(ctx context.Context, query url.Values) ([]SecurityGroup, error) {
	maps.Copy(query, r.OfProject())
	groups, err := api.ListAll[SecurityGroup](ctx, r.Network, "security_groups", "security-groups", query)
	if err != nil {
		return nil, fmt.Errorf("listing security groups: %w", err)
	}
	return groups, nil
}

// MachinePorts lists the ports of the project's servers.
func (r *Reader) MachinePorts(ctx context.Context) ([]neutron.Port, error) {
	ports, err := neutron.Ports(ctx, r.Network, r.OfProject())
	if err != nil {
		return nil, fmt.Errorf("listing ports: %w", err)
	}
	return slices.DeleteFunc(ports, func(p neutron.Port) bool { return p.Machine() == "" }), nil
}

// Balancers reads all balancers of the project.
func (r *Reader) Balancers(ctx context.Context) ([]Balancer, time.Time, error) {
	return api.ListDated[Balancer](ctx, r.Client, "loadbalancers", PathBalancers, r.OfProject())
}

// OfProject limits a list to our own project: to an administrator all of them are shown.
func (r *Reader) OfProject() url.Values {
	query := url.Values{}
	if r.Project != "" {
		query.Set("project_id", r.Project)
	}
	return query
}

// Children reads listeners, pools, members and monitors of a balancer, as far as they are not
// known to be what they were in an earlier snapshot.
func (r *Reader) Children(ctx context.Context, lb Balancer, read time.Time, last *Snapshot) (*Snapshot, error) {
	s := &Snapshot{LB: lb, Read: read, Pools: map[string]Pool{}, Members: map[string][]Member{}, Monitors: map[string]Monitor{}}
	if last != nil && last.LB.ID != lb.ID {
		last = nil
	}
	if last != nil && last.Still(last.LB.Updated, lb.Updated) {
		s.Listeners, s.Pools, s.Members, s.Monitors = last.Listeners, last.Pools, last.Members, last.Monitors
		s.Read = last.Read
		return s, nil
	}
	var err error
	if s.Listeners, err = api.ListAll[Listener](ctx, r.Client, "listeners", PathListeners, ofBalancer(lb.ID)); err != nil {
		return nil, err
	}
	pools, err := api.ListAll[Pool](ctx, r.Client, "pools", PathPools, ofBalancer(lb.ID))
	if err != nil {
		return nil, err
	}
	if err := r.addMembers(ctx, s, pools, last); err != nil {
		return nil, err
	}
	return s, r.addMonitors(ctx, s, last)
}

func (r *Reader) addMembers(ctx context.Context, s *Snapshot, pools []Pool, last *Snapshot) error {
	for _, p := range pools {
		s.Pools[p.ID] = p
		switch {
		case len(p.Members) == 0:
		case last != nil && last.Still(last.Pools[p.ID].Updated, p.Updated):
			s.Members[p.ID] = last.Members[p.ID]
		default:
			members, err := api.ListAll[Member](ctx, r.Client, "members", PathPools+"/"+p.ID+"/members", nil)
			if err != nil {
				return err
			}
			s.Members[p.ID] = members
		}
	}
	return nil
}

// addMonitors reads the monitors of the pools, all at once: the API can't list those of one
// balancer.
func (r *Reader) addMonitors(ctx context.Context, s *Snapshot, last *Snapshot) error {
	missing := false
	for id, p := range s.Pools {
		switch {
		case p.Monitor == "":
		case last != nil && last.Still(last.Pools[id].Updated, p.Updated):
			s.Monitors[id] = last.Monitors[id]
		default:
			missing = true
		}
	}
	if !missing {
		return nil
	}
	all, err := api.ListAll[Monitor](ctx, r.Client, "healthmonitors", PathMonitors, r.OfProject())
	if err != nil {
		return err
	}
	for _, m := range all {
		for _, p := range m.Pools {
			if s.Pools[p.ID].Monitor == m.ID {
				s.Monitors[p.ID] = m
			}
		}
	}
	return nil
}

// Balancer reads a balancer. The header has the time at which it was read.
func (r *Reader) Balancer(ctx context.Context, id string) (Balancer, http.Header, error) {
	return api.GetOne[Balancer](ctx, r.Client, "loadbalancer", PathBalancers, id)
}
