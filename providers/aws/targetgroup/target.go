package targetgroup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// Wanted are what a target group shall have, sorted: ids of instances, or addresses. What
// is registered under any address of a machine stays.
func Wanted(present []string, l cloud.Listener, change cloud.Change) []string {
	var wanted []string
	for _, id := range change.After.Targets {
		switch {
		case id.Unknown():
			wanted = append(wanted, id.Address())
		case l.ProviderFields[balancer.FieldTargetType] == option.TargetInstance:
			wanted = append(wanted, string(id))
		default:
			if address := registeredAddress(present, id, change.Spec.Candidates); address != "" {
				wanted = append(wanted, address)
			}
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

// Register adds targets to a group. Those that AWS does not take, such as an instance that is
// stopped, are noted in the snapshot.
func (gs *Groups) Register(ctx context.Context, s *Set, g Group, ids []string) error {
	for batch := range slices.Chunk(ids, targetBatch) {
		if err := gs.registerBatch(ctx, s, g, batch); err != nil {
			return err
		}
	}
	return nil
}

// registerBatch makes one call. AWS refuses all targets for one of them: then it is made for each
// half.
func (gs *Groups) registerBatch(ctx context.Context, s *Set, g Group, ids []string) error {
	_, err := gs.client.RegisterTargets(ctx, &sdk.RegisterTargetsInput{TargetGroupArn: g.TargetGroupArn, Targets: targetList(ids)})
	switch {
	case err == nil:
		return nil
	case !failure.Is(err, codeBadTarget):
		return fmt.Errorf("registering %s with target group %s: %w", strings.Join(ids, ", "), aws.ToString(g.TargetGroupName), err)
	case len(ids) == 1:
		if s.Refused == nil {
			s.Refused = map[string]string{}
		}
		s.Refused[ids[0]] = failure.Said(err)
		return nil
	}
	half := len(ids) / 2
	if err := gs.registerBatch(ctx, s, g, ids[:half]); err != nil {
		return err
	}
	return gs.registerBatch(ctx, s, g, ids[half:])
}

// Warnings say which nodes AWS does not take as targets, and why.
func (s *Set) Warnings(candidates []cloud.Target) []cloud.Warning {
	var notes []cloud.Warning
	for _, id := range slices.Sorted(maps.Keys(s.Refused)) {
		node := id
		for _, c := range candidates {
			if balancer.Is(cloud.InstanceID(id), c) || balancer.Is(cloud.UnknownInstance(id), c) {
				node = c.NodeName
			}
		}
		notes = append(notes, cloud.Warning{Field: node, Message: "AWS does not take it as a target: " + s.Refused[id], Reason: reasonSkipped})
	}
	return notes
}

// Deregister removes targets from a group.
func (gs *Groups) Deregister(ctx context.Context, g Group, ids []string) error {
	for batch := range slices.Chunk(ids, targetBatch) {
		if _, err := gs.client.DeregisterTargets(ctx, &sdk.DeregisterTargetsInput{TargetGroupArn: g.TargetGroupArn, Targets: targetList(batch)}); err != nil {
			return fmt.Errorf("deregistering %d targets from target group %s: %w", len(batch), aws.ToString(g.TargetGroupName), err)
		}
	}
	return nil
}

func targetList(ids []string) []types.TargetDescription {
	var list []types.TargetDescription
	for _, id := range ids {
		list = append(list, types.TargetDescription{Id: aws.String(id)})
	}
	return list
}
