package targetgroup

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// reasonSkipped is the event of nodes that are no targets.
const reasonSkipped = "TargetSkipped"

// targetBatch is the most targets of one call (upstream's figure; AWS publishes none).
const targetBatch = 100

// untilTaken is the wait for a target that AWS does not take, the framework's longest one.
const untilTaken = 5 * time.Minute

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

// register adds targets to a group. Those that AWS does not take, such as an instance that is stopped,
// have to wait.
func (gs *Groups) register(ctx context.Context, wanted []cloud.Resource) error {
	refused := &cloud.Waiting{After: untilTaken}
	bad := func(err error) bool { return failure.Is(err, codeBadTarget) }
	for batch := range slices.Chunk(wanted, targetBatch) {
		err := failure.Halves(batch, bad, func(some []cloud.Resource) error {
			_, err := gs.Client.RegisterTargets(ctx, &sdk.RegisterTargetsInput{TargetGroupArn: balancer.Text(some[0], fieldGroup), Targets: targetList(some)})
			return err
		}, func(one cloud.Resource, err error) {
			t, _ := one.Native.(target)
			refused.Warnings = append(refused.Warnings, cloud.Warning{Field: t.node, Message: "AWS does not take it as a target: " + failure.Said(err), Reason: reasonSkipped})
		})
		if failure.IsGone(err) { // it was deleted meanwhile: it is made again in the next run
			return &cloud.Waiting{}
		}
		if err != nil {
			return err
		}
	}
	if len(refused.Warnings) > 0 {
		return refused
	}
	return nil
}

func (gs *Groups) deregister(ctx context.Context, present []cloud.Resource) error {
	for batch := range slices.Chunk(present, targetBatch) {
		_, err := gs.Client.DeregisterTargets(ctx, &sdk.DeregisterTargetsInput{TargetGroupArn: balancer.Text(batch[0], fieldGroup), Targets: targetList(batch)})
		if err = failure.UnlessGone(err); err != nil {
			return err
		}
	}
	return nil
}

func targetList(resources []cloud.Resource) []types.TargetDescription {
	var list []types.TargetDescription
	for _, r := range resources {
		t, _ := r.Native.(target)
		list = append(list, types.TargetDescription{Id: &t.id})
	}
	return list
}
