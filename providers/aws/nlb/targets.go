package nlb

import (
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // names upstream gives
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// addTargetGroup adds the target group that a listener has to lead to, with what is in it. Have is the one that it
// leads to now. A new one is made when the balancer is there.
func (p *parts) addTargetGroup(ctx context.Context, have Group, l cloud.Listener) (cloud.IDOf, error) {
	g, err := p.choose(ctx, have, l)
	if err != nil {
		return cloud.IDOf{}, err
	}
	ref, rules := g.Ref(), p.rules()
	wanted := cloud.Resource{Kind: kindTargetGroup, Key: ref.Key, Fields: healthFields(*l.Health), Native: creation{l, p.Cluster.ObjectTags(p.change.Spec)}, Needs: rules}
	attributes := cloud.Resource{Kind: kindGroupAttributes, Key: ref.Key, Fields: attributesOf(l), Needs: rules}
	its := cloud.Resource{Kind: kindGroupAttributes, Key: ref.Key, Fields: attributesOf(g.view())}
	if g.TargetGroupArn != nil {
		present := presentGroup(g, p.lb)
		present.Fields, its.Fields[fieldTargets] = healthFields(*g.health()), ref
		p.Present = append(p.Present, present, its)
	} else { // what has its default is not written
		wanted.Needs = append([]cloud.IDOf{p.lb}, rules...)
		maps.DeleteFunc(attributes.Fields, func(key string, value any) bool { return value == its.Fields[key] })
	}
	p.Wanted = append(p.Wanted, wanted)
	if len(attributes.Fields) > 0 {
		attributes.Fields[fieldTargets] = ref
		p.Wanted = append(p.Wanted, attributes)
	}
	p.addTargets(g, l.ProviderFields[balancer.FieldTargetType])
	return ref, nil
}

// choose returns the target group for a listener: the one it has, else a spare, else a new one.
func (p *parts) choose(ctx context.Context, have Group, l cloud.Listener) (Group, error) {
	if have.suits(l) {
		return have, nil
	}
	names := groupNames(p.Cluster.ID, l, p.change.Spec.Ref.Owner)
	for _, spare := range p.s.Groups.Unused {
		if spare.suits(l) && slices.Contains(names, aws.ToString(spare.TargetGroupName)) {
			err := p.Targets.complete(ctx, &spare)
			return spare, err
		}
	}
	for _, name := range names {
		if !p.s.Groups.taken[name] {
			return Group{TargetGroup: types.TargetGroup{
				TargetGroupName: &name, TargetType: types.TargetTypeEnum(l.ProviderFields[balancer.FieldTargetType]), Protocol: types.ProtocolEnum(l.TargetProtocol),
			}}, nil
		}
	}
	return Group{}, fmt.Errorf("creating a target group: the names %q are taken by others", names)
}

// suits reports whether the group can be what the listener leads to. AWS can't change its protocol,
// port and type. Protocol and interval of its health check are in its name (see groupName):
// upstream fails for ever where it finds another one under a name it is about to give.
func (g Group) suits(l cloud.Listener) bool {
	return g.TargetGroupArn != nil && string(g.Protocol) == string(l.TargetProtocol) && int(aws.ToInt32(g.Port)) == l.TargetPort &&
		string(g.TargetType) == l.ProviderFields[balancer.FieldTargetType] &&
		string(g.HealthCheckProtocol) == string(l.Health.Protocol) && *balancer.Seconds(l.Health.Interval) == aws.ToInt32(g.HealthCheckIntervalSeconds)
}

// groupNames are the names a listener's target group may have: upstream's, and one with the
// UID where that is taken, as by the balancer of a Service of the same name that was kept.
func groupNames(clusterID string, l cloud.Listener, us cloud.Owner) []string {
	return []string{groupName(clusterID, us, l), groupName(clusterID+us.UID, us, l)}
}

// groupName returns the name upstream gives to a target group. It depends on what AWS can't change.
func groupName(clusterID string, owner cloud.Owner, l cloud.Listener) string {
	h := sha1.New() //nolint:gosec // as above
	for _, part := range []string{
		clusterID, owner.Namespace, owner.Name, strconv.Itoa(l.Port), strconv.Itoa(l.TargetPort), string(l.TargetProtocol),
		l.ProviderFields[balancer.FieldTargetType], string(l.Health.Protocol), strconv.Itoa(int(l.Health.Interval / time.Second)),
	} {
		h.Write([]byte(part))
	}
	return tag.Child(owner, hex.EncodeToString(h.Sum(nil)))
}

// creation is what a target group is made with.
type creation struct {
	cloud.Listener
	tags map[string]string
}

// presentGroup is a target group that is there. It is a part of the balancer that it needs.
func presentGroup(g Group, needs ...cloud.IDOf) cloud.Resource {
	return cloud.Resource{Kind: kindTargetGroup, Key: g.Ref().Key, ID: aws.ToString(g.TargetGroupArn), Needs: needs}
}

// addTargets adds what is registered with a target group, and what has to be.
func (p *parts) addTargets(g Group, targetType string) {
	add := func(to *[]cloud.Resource, id string) {
		key := id + " in " + aws.ToString(g.TargetGroupName)
		*to = append(*to, cloud.Resource{Kind: kindTarget, Key: key, Native: target{id, nodeOf(id, p.change.Spec.Candidates)}, Fields: map[string]any{fieldTargets: g.Ref()}})
	}
	for _, id := range g.Targets {
		add(&p.Present, id)
	}
	for _, id := range wantedTargets(g.Targets, targetType, p.change) {
		add(&p.Wanted, id)
	}
}

// target is one of a target group: the id of an instance, or an address. Node says whose it is.
type target struct{ id, node string }

func nodeOf(id string, candidates []cloud.Target) string {
	for _, c := range candidates {
		if balancer.Is(cloud.InstanceID(id), c) || balancer.Is(cloud.UnknownInstance(id), c) {
			return c.NodeName
		}
	}
	return id
}

// wantedTargets are what a target group shall have, sorted: ids of instances, or addresses. What
// is registered under any address of a machine stays.
func wantedTargets(present []string, targetType string, change cloud.Change) []string {
	var wanted []string
	for _, id := range change.After.Targets {
		target := id.Address() // or the id
		if !id.Unknown() && targetType != option.TargetInstance {
			target = registeredAddress(present, id, change.Spec.Candidates)
		}
		if target != "" {
			wanted = append(wanted, target)
		}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// registeredAddress returns the address of a machine that is registered, or that shall be: its
// first private IPv4 one.
func registeredAddress(present []string, id cloud.InstanceID, candidates []cloud.Target) string {
	first := ""
	for _, c := range candidates {
		if c.InstanceID != id {
			continue
		}
		for _, a := range c.Addresses {
			if slices.Contains(present, a.Address) {
				return a.Address
			}
			if a.Type == cloud.AddressInternalIP && !strings.Contains(a.Address, ":") {
				first = cmp.Or(first, a.Address)
			}
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
			p.addLeaving(have.group)
		default:
			p.addRetired(have.group)
		}
	}
}

// addLeaving adds a target group that goes with the listener that leads to it. While the cloud refuses
// something that may still serve, so its targets are right.
func (p *parts) addLeaving(g Group) {
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
				p.addLeaving(l.group)
			}
		}
	}
	if p.s.Balancer == nil || p.s.Balancer.served() {
		p.addUnused(p.s.Groups.Unused...)
	}
}

// served reports whether each listener that has targets has one that is healthy. Until then a spare
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

// protected says that AWS refuses to delete the balancer.
func protected(name string) error {
	return &cloud.Invalid{
		Field: option.Protection.Name, Value: "true",
		Want: "the network load balancer " + name + " is protected from deletion: switch that off in AWS",
	}
}

// addRemains adds the balancer that is deleted with all it has, or what is left of it.
func (p *parts) addRemains(context.Context) error {
	if lb := p.s.Balancer; lb != nil {
		if lb.attributes[attributeProtection] == "true" {
			return protected(p.lb.Key)
		}
		for _, g := range lb.groups {
			if p.Targets.releases(g) {
				p.addUnused(g)
			}
		}
	}
	p.addUnused(p.s.Groups.Unused...)
	if p.s.Balancer != nil {
		present := p.balancer(p.change.Before.Balancer)
		present.ID, present.Needs = p.change.Before.ID, refs(p.Present)
		p.Present = append(p.Present, present)
	}
	return nil
}

// refs are what stands for resources.
func refs(list []cloud.Resource) (all []cloud.IDOf) {
	for _, r := range list {
		all = append(all, r.Ref())
	}
	return all
}

// DeleteFirst has the balancer deleted before these resources, so that they stay where AWS refuses that.
func DeleteFirst(r *cloud.Resources, before []cloud.Resource) {
	for i := range r.Present {
		if r.Present[i].Kind == kindBalancer {
			r.Present[i].Needs = append(r.Present[i].Needs, refs(before)...)
		}
	}
}
