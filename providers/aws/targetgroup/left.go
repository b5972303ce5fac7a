package targetgroup

import (
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Remove adds a target group that goes with the listener that leads to it.
func (c *Change) Remove(g Group) {
	if !c.releases(g) || listed(c.Wanted, g.Ref()) || listed(c.Present, g.Ref()) {
		return
	}
	c.Present = append(c.Present, presentGroup(g, c.Balancer))
}

// releases reports whether a group goes with the listener that leads to it. One that other balancers
// have too, or that is the user's, is left alone.
func (gs *Groups) releases(g Group) bool { return gs.IsMade(g) && len(g.LoadBalancerArns) <= 1 }

func listed(list []cloud.Resource, ref cloud.IDOf) bool {
	return slices.ContainsFunc(list, func(r cloud.Resource) bool { return r.Ref() == ref })
}

// untilServing is how long the targets of a new target group usually take to become healthy: AWS
// registers them, and checks three times every 30 seconds.
const untilServing = 3 * time.Minute

// Retire adds a target group that a listener leads to until now. Connections still go there, so it
// stays, and its targets are right, until the one in its place serves. One of the user's is left alone.
func (c *Change) Retire(g Group) {
	if listed(c.Wanted, g.Ref()) || !c.releases(g) {
		return
	}
	present := presentGroup(g, c.Balancer)
	c.Present, c.Wanted = append(c.Present, present), append(c.Wanted, present)
	c.addTargets(g, string(g.TargetType))
	c.Again = untilServing
}

// IsServed reports whether one of the targets of the group is healthy, if it has any.
func (g Group) IsServed() bool { return len(g.Targets) == 0 || g.serves }

// Drop adds the target groups of the Service that no listener leads to, unless they are wanted again, and of these others
// the ones that go with the balancer.
func (c *Change) Drop(others ...Group) {
	others = slices.DeleteFunc(slices.Clone(others), func(g Group) bool { return !c.releases(g) })
	for _, g := range slices.Concat(others, c.Set.Unused) {
		if !listed(c.Wanted, g.Ref()) && !listed(c.Present, g.Ref()) {
			c.Present = append(c.Present, presentGroup(g))
		}
	}
}
