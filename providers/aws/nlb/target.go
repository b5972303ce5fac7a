package nlb

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
func (p *parts) addTargets(g Group, targetType string) {
	add := func(to *[]cloud.Resource, id string) {
		key := id + " in " + aws.ToString(g.TargetGroupName)
		node := cmp.Or(p.machine(id).NodeName, id)
		*to = append(*to, cloud.Resource{Kind: kindTarget, Key: key, Native: target{id, node}, Fields: map[string]any{fieldTargets: g.Ref()}})
	}
	for _, id := range g.Targets {
		add(&p.Present, id)
	}
	for _, id := range p.wantedTargets(g.Targets, targetType) {
		add(&p.Wanted, id)
	}
}

// target is one of a target group: the id of an instance, or an address. Node says whose it is.
type target struct{ id, node string }

// machine returns the candidate with that id or address, the first of several.
func (p *parts) machine(name string) cloud.Target {
	if p.machines == nil {
		p.machines = map[string]cloud.Target{}
		for _, c := range slices.Backward(p.change.Spec.Candidates) {
			for _, name := range balancer.Names(c) {
				p.machines[name] = c
			}
		}
	}
	return p.machines[name]
}

// wantedTargets are what a target group shall have, sorted: ids of instances, or addresses. What
// is registered under any address of a machine stays; else it is the first private IPv4 one.
func (p *parts) wantedTargets(present []string, targetType string) []string {
	registered := map[string]bool{}
	for _, id := range present {
		registered[id] = true
	}
	var wanted []string
	for _, id := range p.change.After.Targets {
		target := id.Address() // or the id
		if !id.Unknown() && targetType != option.TargetInstance {
			target = addressOf(p.machine(string(id)), registered)
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

// addLeft adds the target groups that listeners are led away from, unless another one leads to them.
func (p *parts) addLeft() {
	for _, l := range p.change.After.Listeners {
		switch have := p.s.Balancer.at(l.Port); {
		case have == nil || have.group.TargetGroupArn == nil:
		case transportOf(cloud.Protocol(have.Protocol)) != transportOf(l.Protocol): // it is deleted, and what it led to afterwards
			p.addRemoved(have.group)
		default:
			p.addRetired(have.group)
		}
	}
}

// addRemoved adds a target group that goes with the listener that leads to it. While the cloud refuses
// something that may still serve, so its targets are right.
func (p *parts) addRemoved(g Group) {
	if !p.Targets.releases(g) || listed(p.Wanted, g.Ref()) || listed(p.Present, g.Ref()) {
		return
	}
	p.Present = append(p.Present, presentGroup(g, p.lb))
	had := len(p.Wanted)
	p.addTargets(g, string(g.TargetType))
	for i := had; i < len(p.Wanted); i++ {
		p.Wanted[i].WhileRefused = true
	}
}

// releases reports whether a group goes with the listener that leads to it. One that other balancers
// have too, or that is the user's, is left alone.
func (gs *TargetGroups) releases(g Group) bool { return gs.isMade(g) && len(g.LoadBalancerArns) <= 1 }

// untilServing is how long the targets of a new target group usually take to become healthy: AWS
// registers them, and checks three times every 30 seconds.
const untilServing = 3 * time.Minute

// addRetired adds a target group that a listener leads to until now. Connections still go there, so it
// stays, and its targets are right, until the one in its place serves. One of the user's is left alone.
func (p *parts) addRetired(g Group) {
	if listed(p.Wanted, g.Ref()) || !p.Targets.releases(g) {
		return
	}
	present := presentGroup(g, p.lb)
	p.Present, p.Wanted = append(p.Present, present), append(p.Wanted, present)
	p.addTargets(g, string(g.TargetType))
	p.Again = untilServing
}

// addSurplus adds the listeners at ports that are not wanted, with what they lead to, and target groups
// that no listener leads to any more. Until the listeners serve, connections may still go to these.
func (p *parts) addSurplus() {
	if lb := p.s.Balancer; lb != nil {
		for _, l := range lb.listeners {
			if !slices.ContainsFunc(p.change.After.Listeners, func(w cloud.Listener) bool { return int32(w.Port) == aws.ToInt32(l.Port) }) {
				p.Present = append(p.Present, p.presentListener(l))
				p.addRemoved(l.group)
			}
		}
	}
	if p.s.Balancer == nil || p.s.Balancer.served() {
		p.addUnused(p.s.Groups.Unused...)
	}
}

// served reports whether each listener that has targets has one that is healthy. Until then an unused
// target group may be the one that connections still go to.
func (lb *Balancer) served() bool {
	return !slices.ContainsFunc(lb.listeners, func(l Listener) bool { return len(l.group.Targets) > 0 && !l.group.Serves })
}

// addUnused adds target groups of the Service that no listener leads to, unless they are wanted again.
func (p *parts) addUnused(groups ...Group) {
	for _, g := range groups {
		if !listed(p.Wanted, g.Ref()) && !listed(p.Present, g.Ref()) {
			p.Present = append(p.Present, presentGroup(g))
		}
	}
}
