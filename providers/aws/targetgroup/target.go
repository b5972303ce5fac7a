package targetgroup

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// addTargets adds what is registered with a target group, and what has to be.
func (c *Change) addTargets(g Group, targetType string) {
	add := func(to *[]cloud.Resource, id string) {
		key := id + " in " + aws.ToString(g.TargetGroupName)
		node := cmp.Or(c.machine(id).NodeName, id)
		*to = append(*to, cloud.Resource{Kind: kindTarget, Key: key, Native: target{id, node}, Fields: map[string]any{fieldTargets: g.Ref()}})
	}
	for _, id := range g.Targets {
		add(&c.Present, id)
	}
	for _, id := range c.wantedTargets(g.Targets, targetType) {
		add(&c.Wanted, id)
	}
}

// target is one of a target group: the id of an instance, or an address. Node says whose it is.
type target struct{ id, node string }

// machine returns the candidate with that id or address, the first of several.
func (c *Change) machine(name string) cloud.Target {
	if c.machines == nil {
		c.machines = map[string]cloud.Target{}
		for _, one := range slices.Backward(c.Of.Input.Candidates) {
			for _, name := range balancer.Names(one) {
				c.machines[name] = one
			}
		}
	}
	return c.machines[name]
}

// wantedTargets are what a target group shall have, sorted: ids of instances, or addresses. What
// is registered under any address of a machine stays; else it is the first private IPv4 one.
func (c *Change) wantedTargets(present []string, targetType string) []string {
	registered := map[string]bool{}
	for _, id := range present {
		registered[id] = true
	}
	var wanted []string
	for _, id := range c.Of.After.Targets {
		target := id.Address() // or the id
		if !id.Unknown() && targetType != option.TargetInstance {
			target = addressOf(c.machine(string(id)), registered)
		}
		if target != "" {
			wanted = append(wanted, target)
		}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

func addressOf(machine cloud.Target, registered map[string]bool) (first string) {
	for _, a := range machine.Addresses {
		if registered[a.Address] {
			return a.Address
		}
		if a.Type == cloud.AddressInternalIP && !strings.Contains(a.Address, ":") {
			first = cmp.Or(first, a.Address)
		}
	}
	return first
}

// Remove adds a target group that goes with the listener that leads to it. While the cloud refuses
// something that may still serve, so its targets are right.
func (c *Change) Remove(g Group) {
	if !c.releases(g) || listed(c.Wanted, g.Ref()) || listed(c.Present, g.Ref()) {
		return
	}
	c.Present = append(c.Present, presentGroup(g, c.Balancer))
	had := len(c.Wanted)
	c.addTargets(g, string(g.TargetType))
	for i := had; i < len(c.Wanted); i++ {
		c.Wanted[i].WhileRefused = true
	}
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

func listed(list []cloud.Resource, ref cloud.IDOf) bool {
	return slices.ContainsFunc(list, func(r cloud.Resource) bool { return r.Ref() == ref })
}
