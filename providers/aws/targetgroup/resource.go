package targetgroup

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

// Behind says which balancer target groups are behind, and which missing rules let their traffic through.
type Behind struct {
	Balancer cloud.IDOf
	Rules    []cloud.IDOf
}

// Add adds the target group that a listener has to lead to, with what is in it. Have is the one that it
// leads to now. A new one is made when the balancer is there.
func (gs *Groups) Add(ctx context.Context, r *cloud.Resources, s *Set, have Group, l cloud.Listener, change cloud.Change, b Behind) (cloud.IDOf, error) {
	g, err := gs.choose(ctx, s, have, l, change.Spec)
	if err != nil {
		return cloud.IDOf{}, err
	}
	ref := g.Ref()
	wanted := cloud.Resource{Kind: kindGroup, Key: ref.Key, Fields: healthFields(*l.Health), Native: creation{l, gs.Cluster.ObjectTags(change.Spec)}, Needs: b.Rules}
	attributes := cloud.Resource{Kind: kindAttributes, Key: ref.Key, Fields: attributesOf(l), Needs: b.Rules}
	its := cloud.Resource{Kind: kindAttributes, Key: ref.Key, Fields: attributesOf(g.View())}
	if g.TargetGroupArn != nil {
		present := presentGroup(g, b.Balancer)
		present.Fields, its.Fields[fieldGroup] = healthFields(*g.Health()), ref
		r.Present = append(r.Present, present, its)
	} else { // what has its default is not written
		wanted.Needs = append([]cloud.IDOf{b.Balancer}, b.Rules...)
		maps.DeleteFunc(attributes.Fields, func(key string, value any) bool { return value == its.Fields[key] })
	}
	r.Wanted = append(r.Wanted, wanted)
	if len(attributes.Fields) > 0 {
		attributes.Fields[fieldGroup] = ref
		r.Wanted = append(r.Wanted, attributes)
	}
	addTargets(r, g, l.ProviderFields[balancer.FieldTargetType], change)
	return ref, nil
}

// choose returns the target group for a listener: the one it has, else a spare, else a new one.
func (gs *Groups) choose(ctx context.Context, s *Set, have Group, l cloud.Listener, spec cloud.Spec) (Group, error) {
	if have.suits(l) {
		return have, nil
	}
	names := groupNames(gs.Cluster.ID, l, spec.Ref.Owner)
	for _, spare := range s.Unused {
		if spare.suits(l) && slices.Contains(names, aws.ToString(spare.TargetGroupName)) {
			err := gs.Complete(ctx, &spare)
			return spare, err
		}
	}
	for _, name := range names {
		if !s.taken[name] {
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

// Ref stands for the target group.
func (g Group) Ref() cloud.IDOf {
	return cloud.IDOf{Kind: kindGroup, Key: aws.ToString(g.TargetGroupName)}
}

// creation is what a target group is made with.
type creation struct {
	cloud.Listener
	tags map[string]string
}

func healthFields(h cloud.Health) map[string]any {
	return map[string]any{
		"HealthCheckProtocol": h.Protocol, "HealthCheckPort": healthPortText(h), "HealthCheckPath": h.Path,
		"HealthCheckIntervalSeconds": h.Interval, "HealthCheckTimeoutSeconds": h.Timeout,
		"HealthyThresholdCount": h.Healthy, "UnhealthyThresholdCount": h.Unhealthy,
	}
}

func healthPortText(h cloud.Health) string {
	if h.Port == 0 {
		return option.TrafficPort
	}
	return strconv.Itoa(h.Port)
}

// attributesOf are the attributes of the target group of a listener.
func attributesOf(l cloud.Listener) map[string]any {
	fields := map[string]any{}
	for attribute, field := range attributeFields {
		fields[attribute] = l.ProviderFields[field]
	}
	return fields
}

// presentGroup is a target group that is there. It is a part of the balancer that it needs.
func presentGroup(g Group, needs ...cloud.IDOf) cloud.Resource {
	return cloud.Resource{Kind: kindGroup, Key: g.Ref().Key, ID: aws.ToString(g.TargetGroupArn), Needs: needs}
}

// addTargets adds what is registered with a target group, and what has to be.
func addTargets(r *cloud.Resources, g Group, targetType string, change cloud.Change) {
	add := func(to *[]cloud.Resource, id string) {
		key := id + " in " + aws.ToString(g.TargetGroupName)
		*to = append(*to, cloud.Resource{Kind: kindTarget, Key: key, Native: target{id, nodeOf(id, change.Spec.Candidates)}, Fields: map[string]any{fieldGroup: g.Ref()}})
	}
	for _, id := range g.Targets {
		add(&r.Present, id)
	}
	for _, id := range wantedTargets(g.Targets, targetType, change) {
		add(&r.Wanted, id)
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

// AddLeaving adds a target group that goes with the listener that leads to it. While the cloud refuses
// something that may still serve, so its targets are right.
func (gs *Groups) AddLeaving(r *cloud.Resources, g Group, change cloud.Change, b Behind) {
	if !gs.Releases(g) || listed(r.Wanted, g) || listed(r.Present, g) {
		return
	}
	r.Present = append(r.Present, presentGroup(g, b.Balancer))
	had := len(r.Wanted)
	addTargets(r, g, string(g.TargetType), change)
	for i := had; i < len(r.Wanted); i++ {
		r.Wanted[i].WhileRefused = true
	}
}

// Releases reports whether a group goes with the listener that leads to it. One that other balancers
// have too, or that is the user's, is left alone.
func (gs *Groups) Releases(g Group) bool { return gs.IsMade(g) && len(g.LoadBalancerArns) <= 1 }

// IsMade reports whether a group behind a balancer of ours was made for it, by upstream or us, and
// is none of the user's.
func (gs *Groups) IsMade(g Group) bool {
	return g.TargetGroupArn != nil && tag.IsChild(aws.ToString(g.TargetGroupName)) && gs.Cluster.Has(g.Tags)
}

func listed(list []cloud.Resource, g Group) bool {
	return slices.ContainsFunc(list, func(r cloud.Resource) bool { return r.Ref() == g.Ref() })
}

// untilServing is how long the targets of a new target group usually take to become healthy: AWS
// registers them, and checks three times every 30 seconds.
const untilServing = 3 * time.Minute

// AddRetired adds a target group that a listener leads to until now. Connections still go there, so it
// stays, and its targets are right, until the one in its place serves. One of the user's is left alone.
func (gs *Groups) AddRetired(r *cloud.Resources, g Group, change cloud.Change, b Behind) {
	if listed(r.Wanted, g) || !gs.Releases(g) {
		return
	}
	present := presentGroup(g, b.Balancer)
	r.Present, r.Wanted = append(r.Present, present), append(r.Wanted, present)
	addTargets(r, g, string(g.TargetType), change)
	r.Again = untilServing
}

// AddSurplus adds a target group that goes with its balancer.
func (gs *Groups) AddSurplus(r *cloud.Resources, g Group) {
	if gs.Releases(g) {
		AddUnused(r, g)
	}
}

// AddUnused adds target groups of the Service that no listener leads to, unless they are wanted again.
func AddUnused(r *cloud.Resources, groups ...Group) {
	for _, g := range groups {
		if !listed(r.Wanted, g) && !listed(r.Present, g) {
			r.Present = append(r.Present, presentGroup(g))
		}
	}
}
