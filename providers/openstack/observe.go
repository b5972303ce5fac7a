package openstack

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// survey is all balancers of the project and what belongs to them in Neutron.
type survey struct {
	balancers []balancer
	floating  []floatingIP
	groups    []securityGroup
	ports     []port
	read      time.Time
}

func surveyOf(spec cloud.Spec) (survey, bool) {
	s, ok := spec.Survey.(survey)
	return s, ok
}

// Survey implements cloud.Surveyor.
func (d *Driver) Survey(ctx context.Context) (cloud.Survey, error) {
	var s survey
	var err error
	if s.balancers, s.read, err = d.listBalancers(ctx); err != nil {
		return nil, err
	}
	if s.floating, err = d.listFloatingIPs(ctx, d.ofProject()); err != nil {
		return nil, err
	}
	if s.groups, err = d.listGroups(ctx, url.Values{}); err != nil {
		return nil, err
	}
	if d.config.balancer.manageSecurityGroups {
		s.ports, err = d.machinePorts(ctx)
	}
	return s, err
}

// Observe implements cloud.Balancers.
func (d *Driver) Observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	lb, byName, read, err := d.find(ctx, spec)
	if err != nil {
		return cloud.Observed{}, err
	}
	if lb == nil {
		return d.absent(ctx, spec)
	}
	if state, _ := lifecycle(*lb); state == cloud.BalancerPending {
		s := &snapshot{lb: *lb}
		return cloud.Observed{Found: true, ID: lb.ID, ByName: byName, Owner: d.owner(lb, spec), State: state, Native: s, Balancer: d.view(s, spec), Facts: d.facts(s, spec)}, nil
	}
	s, err := d.children(ctx, *lb, read, lastOf(spec))
	if err != nil {
		return cloud.Observed{}, fmt.Errorf("reading balancer %s: %w", lb.ID, err)
	}
	if spec.Leaving && d.hasNothing(s, spec) {
		return d.absent(ctx, spec)
	}
	if err := d.addNeighbours(ctx, s, spec); err != nil {
		return cloud.Observed{}, err
	}
	o := d.observed(s, spec)
	o.ByName = byName
	return d.explore(ctx, s, o, spec)
}

// addNeighbours reads what belongs to a balancer in Neutron.
func (d *Driver) addNeighbours(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	if err := d.addFloatingIPs(ctx, s, spec); err != nil {
		return err
	}
	return d.addGuard(ctx, s, spec)
}

// absent is what is said when there is no balancer. Its floating IP or security group may be
// left: both are known by the Service's UID.
func (d *Driver) absent(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	s := &snapshot{}
	if err := d.addNeighbours(ctx, s, spec); err != nil {
		return cloud.Observed{}, err
	}
	o := cloud.Observed{Native: s, Facts: map[string]string{}}
	o.Remains = s.guard.group != nil || s.free != nil && !keyKeepFloatingIP.Bool(spec.Options)
	return d.explore(ctx, s, o, spec)
}

// explore finds out what a change will need: where to take a floating IP from, the network the
// members are in, and whether there is a certificate. What the Service asks for and is not to be
// found is a fact about it, so that its nodes are kept up to date in spite of it. A Service that
// leaves needs none of this.
func (d *Driver) explore(ctx context.Context, s *snapshot, o cloud.Observed, spec cloud.Spec) (cloud.Observed, error) {
	if !spec.Leaving {
		if err := d.exploreFloating(ctx, s, o.Facts, spec); err != nil {
			return cloud.Observed{}, err
		}
		if err := d.exploreMembers(ctx, s, o.Facts, spec); err != nil {
			return cloud.Observed{}, err
		}
		d.exploreTLS(ctx, s, o.Facts, spec)
	}
	if o.Found {
		spec.Facts = o.Facts
		o.Balancer = d.view(s, spec)
	}
	return o, nil
}

func (d *Driver) exploreFloating(ctx context.Context, s *snapshot, facts map[string]string, spec cloud.Spec) error {
	lacks := s.floating == nil && s.free == nil && !d.wantsInternal(spec) && facts[factVIPFamily] != "6" && facts[factGuest] == ""
	if !lacks || spec.IPv6 || d.placementOf(spec).floatingNetwork != "" {
		return nil
	}
	found, err := d.findFloatingNetwork(ctx)
	if err == nil {
		facts[factFloatingNetwork] = cmp.Or(found, noNetwork)
	}
	return err
}

func (d *Driver) exploreMembers(ctx context.Context, s *snapshot, facts map[string]string, spec cloud.Spec) error {
	where := d.placementOf(spec)
	id := cmp.Or(where.memberSubnet, s.lb.Subnet, where.subnet)
	if !d.config.balancer.manageSecurityGroups || id == "" {
		return nil
	}
	found, _, err := getOne[subnet](ctx, d.network, "subnet", "subnets", id)
	switch {
	case d.isNotFound(err):
		facts[factNoSubnet] = id
	case err != nil:
		return fmt.Errorf("reading subnet %s: %w", id, err)
	}
	facts[factMemberCIDR] = found.CIDR
	return nil
}

// find returns the balancer of the Service, nil when there is none:
//
//	by                         is enough
//	the id that is given       always
//	the Service's mark         always
//	upstream's name            if no mark says that it is another Service's
//	upstream's very old name   always: it holds the Service's UID
func (d *Driver) find(ctx context.Context, spec cloud.Spec) (lb *balancer, byName bool, read time.Time, err error) {
	all, surveyed := surveyOf(spec)
	if spec.Ref.ID != "" {
		at := slices.IndexFunc(all.balancers, func(lb balancer) bool { return lb.ID == spec.Ref.ID })
		if at >= 0 {
			return &all.balancers[at], false, all.read, nil
		}
		lb, header, err := getOne[balancer](ctx, d.balancer, "loadbalancer", pathBalancers, spec.Ref.ID)
		switch {
		case err == nil && lb.ID != spec.Ref.ID:
			return nil, false, read, fmt.Errorf("reading balancer %s: %w", spec.Ref.ID, errUnreadable)
		case err == nil && lb.Provisioning != statusDeleted:
			return &lb, false, clock(header), nil
		case err != nil && !d.isNotFound(err):
			return nil, false, read, fmt.Errorf("reading balancer %s: %w", spec.Ref.ID, err)
		}
	}
	if !surveyed {
		if all.balancers, all.read, err = d.listBalancers(ctx); err != nil {
			return nil, false, read, fmt.Errorf("listing balancers: %w", err)
		}
	}
	lb, byName = d.pick(all.balancers, spec.Ref.Owner)
	return lb, byName, all.read, nil
}

// pick returns the Service's balancer among all.
func (d *Driver) pick(all []balancer, o cloud.Owner) (best *balancer, byName bool) {
	for i, lb := range all {
		c := d.readClaims(lb.Tags, o)
		switch {
		case lb.Provisioning == statusDeleted:
		case c.ours, lb.Name == legacyName(o.UID):
			return &all[i], false
		case best == nil && lb.Name == d.name(o) && len(c.others) == 0:
			best = &all[i]
		}
	}
	return best, best != nil
}
