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

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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
		lb, _, err := r.Balancer(ctx, ids[0])
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

// OfProject limits a list to our own project: to an administrator all of them are shown.
func (r *Reader) OfProject() url.Values {
	query := url.Values{}
	if r.Project != "" {
		query.Set("project_id", r.Project)
	}
	return query
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

// Snapshot is a balancer with everything that belongs to it, as it was read.
type Snapshot struct {
	LB        Balancer
	Listeners []Listener
	// Pools are by their id; members and monitors by that of their pool.
	Pools    map[string]Pool
	Members  map[string][]Member
	Monitors map[string]Monitor
	// Floating is the floating IP at the balancer's port, nil when there is none; free is one
	// that was made for this Service and is attached nowhere, elsewhere one that is attached to
	// something else.
	Floating  *FloatingIP
	Free      *FloatingIP
	Elsewhere *FloatingIP
	// Guard is the managed security group.
	Guard Guard
	// Read is when the balancer was read, by the clock of the API, zero where its parts were not read whole.
	Read time.Time
	// Sole says, of a balancer that is given up, that a list has shown no other one of its Service.
	Sole bool
	// Answer says that it is the answer to the creation.
	Answer bool
}

// calm is for how long nothing must have changed before what was read counts as all that
// happened until then. Octavia's stamps are whole seconds, so two changes can have the same.
const calm = 3 * time.Second

// StampFormat is that of Octavia's time stamps, in UTC.
const StampFormat = "2006-01-02T15:04:05"

// Still reports whether what was read then, with that stamp, is the same now if the stamp is:
//
//	stamp then and now  last change was       still
//	differ              –                     no
//	same                calm before reading   yes
//	same                closer                no: there may have been another change that second
func (s *Snapshot) Still(then, now string) bool {
	if s == nil || then == "" || then != now {
		return false
	}
	changed, err := time.Parse(StampFormat, then)
	return err == nil && !s.Read.IsZero() && s.Read.Sub(changed) >= calm
}

// isOf reports whether the parts that were read are those of the balancer now.
func (s *Snapshot) isOf(lb Balancer) bool {
	return s != nil && s.LB.ID == lb.ID && s.Still(s.LB.Updated, lb.Updated)
}

// IsSole reports whether the last look at the balancer with this id was in a list, or while it was being deleted, and knew of no other one.
func (s *Snapshot) IsSole(id string) bool { return s != nil && s.Sole && s.LB.ID == id }

// IsAnswer reports whether it has the answer to the creation of the balancer. It counts for the first look when all is made: the next
// one reads all.
func (s *Snapshot) IsAnswer(lb Balancer) bool { return s != nil && s.Answer && s.LB.ID == lb.ID }

// answers reports whether a new balancer's pool has the members and the monitor that it was made with. Octavia lets nobody change
// them before all is made.
func (s *Snapshot) answers(lb Balancer, p Pool) bool {
	return s.IsAnswer(lb) && s.Monitors[p.ID].ID == p.Monitor && len(s.Members[p.ID]) == len(p.Members) &&
		!slices.ContainsFunc(s.Members[p.ID], func(m Member) bool { return !slices.Contains(p.Members, Reference{m.ID}) })
}

// takeBehind takes members and monitor of a pool from an earlier snapshot, where they are known to be the same.
func (s *Snapshot) takeBehind(p Pool, last *Snapshot) bool {
	if !last.isOf(s.LB) && !last.Still(last.stampOf(p), p.Updated) && !last.answers(s.LB, p) {
		return false
	}
	members, known := last.Members[p.ID]
	if monitor, exists := last.Monitors[p.ID]; known && exists {
		s.Monitors[p.ID] = monitor
	}
	if known {
		s.Members[p.ID] = members
	}
	return known
}

// stampOf returns the time stamp that a pool had.
func (s *Snapshot) stampOf(p Pool) string {
	if s == nil {
		return ""
	}
	return s.Pools[p.ID].Updated
}

// LastOf returns the snapshot of the last observation, nil when there is none.
func LastOf(spec cloud.Spec) *Snapshot {
	if spec.Last == nil {
		return nil
	}
	s, _ := spec.Last.Native.(*Snapshot)
	return s
}

// Answer is what Octavia answers to the creation of a load balancer with all that it has.
type Answer struct {
	Balancer
	Pools []struct {
		ID      string   `json:"id"`
		Members []Member `json:"members"`
		Monitor Monitor  `json:"healthmonitor"`
	} `json:"pools"`
}

// Snapshot returns what is behind the listeners of the new balancer.
func (a Answer) Snapshot() *Snapshot {
	s := &Snapshot{LB: a.Balancer, Answer: true, Members: map[string][]Member{}, Monitors: map[string]Monitor{}}
	for _, p := range a.Pools {
		if s.Members[p.ID] = p.Members; p.Monitor.ID != "" {
			s.Monitors[p.ID] = p.Monitor
		}
	}
	return s
}
