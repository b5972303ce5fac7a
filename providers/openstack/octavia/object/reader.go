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

// Balancers reads the balancers of the project that have this tag, all where it is "".
func (r *Reader) Balancers(ctx context.Context, tag string) ([]Balancer, time.Time, error) {
	query := r.OfProject()
	if tag != "" {
		query.Set("tags", tag)
	}
	return api.ListDated[Balancer](ctx, r.Client, "loadbalancers", PathBalancers, query)
}

// Statuses reads the provisioning statuses of these balancers by id. One that is not there is missing.
func (r *Reader) Statuses(ctx context.Context, ids ...string) (map[string]string, error) {
	statuses := map[string]string{}
	if len(ids) == 1 {
		lb, _, err := r.Balancer(ctx, ids[0])
		if err == nil {
			statuses[lb.ID] = lb.Provisioning
		}
		if api.IsNotFound(err) {
			err = nil
		}
		return statuses, err
	}
	query := r.OfProject()
	query["fields"] = []string{"id", "provisioning_status"}
	all, err := api.ListAll[Balancer](ctx, r.Client, "loadbalancers", PathBalancers, query)
	for _, lb := range all {
		statuses[lb.ID] = lb.Provisioning
	}
	return statuses, err
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
	for _, add := range []func(context.Context, *Snapshot) error{r.AddListeners, r.AddPools} {
		if err := add(ctx, s); err != nil {
			return nil, err
		}
	}
	if err := r.addMembers(ctx, s, last); err != nil {
		return nil, err
	}
	return s, r.addMonitors(ctx, s, last)
}

// AddListeners reads the listeners of a balancer.
func (r *Reader) AddListeners(ctx context.Context, s *Snapshot) (err error) {
	s.Listeners, err = api.ListAll[Listener](ctx, r.Client, "listeners", PathListeners, ofBalancer(s.LB.ID))
	return err
}

// AddPools reads the pools of a balancer, without members and monitors.
func (r *Reader) AddPools(ctx context.Context, s *Snapshot) error {
	pools, err := api.ListAll[Pool](ctx, r.Client, "pools", PathPools, ofBalancer(s.LB.ID))
	s.Pools = map[string]Pool{}
	for _, p := range pools {
		s.Pools[p.ID] = p
	}
	return err
}

func (r *Reader) addMembers(ctx context.Context, s *Snapshot, last *Snapshot) error {
	for _, id := range slices.Sorted(maps.Keys(s.Pools)) {
		p := s.Pools[id]
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
