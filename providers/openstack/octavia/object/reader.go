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

// BalancerAt reads the balancer whose address is at a port, nil when none is.
func (r *Reader) BalancerAt(ctx context.Context, port string) (*Balancer, error) {
	all, _, err := r.Balancers(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing balancers: %w", err)
	}
	if at := slices.IndexFunc(all, func(lb Balancer) bool { return lb.Port == port }); at >= 0 {
		return &all[at], nil
	}
	return nil, nil
}

// Statuses reads the provisioning statuses of balancers by their ids: of one by itself, of several in a list of all. One that is
// not there is missing.
func (r *Reader) Statuses(ctx context.Context, ids []string) (map[string]string, error) {
	statuses := map[string]string{}
	if len(ids) == 1 {
		lb, _, err := api.GetNamed[Balancer](ctx, r.Client, "loadbalancer", PathBalancers, ids[0])
		if api.IsNotFound(err) {
			err = nil
		}
		statuses[lb.ID] = lb.Provisioning
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

// AddListeners reads the listeners of a balancer, unless they are known to be what they were in an earlier snapshot.
func (r *Reader) AddListeners(ctx context.Context, s, last *Snapshot) (err error) {
	if last.isOf(s.LB) {
		s.Listeners = last.Listeners
		return nil
	}
	s.Listeners, err = api.ListAll[Listener](ctx, r.Client, "listeners", PathListeners, ofBalancer(s.LB.ID))
	return err
}

// AddPools reads the pools of a balancer likewise.
func (r *Reader) AddPools(ctx context.Context, s, last *Snapshot) error {
	if last.isOf(s.LB) {
		s.Pools = last.Pools
		return nil
	}
	pools, err := api.ListAll[Pool](ctx, r.Client, "pools", PathPools, ofBalancer(s.LB.ID))
	s.Pools = map[string]Pool{}
	for _, p := range pools {
		s.Pools[p.ID] = p
	}
	return err
}

// AddBehind reads members and monitors of these pools likewise.
func (r *Reader) AddBehind(ctx context.Context, s, last *Snapshot, pools []Pool) error {
	s.Members, s.Monitors = map[string][]Member{}, map[string]Monitor{}
	unknown := slices.DeleteFunc(slices.Clone(pools), func(p Pool) bool { return s.takeBehind(p, last) })
	for _, p := range unknown {
		if s.Members[p.ID] = nil; len(p.Members) == 0 {
			continue
		}
		members, err := api.ListAll[Member](ctx, r.Client, "members", PathPools+"/"+p.ID+"/members", nil)
		if err != nil {
			return err
		}
		s.Members[p.ID] = members
	}
	return r.addMonitors(ctx, s, unknown)
}

// addMonitors reads the monitors of the pools, all at once: the API can't list those of one
// balancer.
func (r *Reader) addMonitors(ctx context.Context, s *Snapshot, pools []Pool) error {
	missing := slices.ContainsFunc(pools, func(p Pool) bool { return p.Monitor != "" })
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
