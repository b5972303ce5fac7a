package aws

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// reasonSkipped is the event of nodes that are no targets.
const reasonSkipped = "TargetSkipped"

// targetBatch is the most targets of one call (upstream's figure; AWS publishes none).
const targetBatch = 100

// wantedTargets are what a target group shall have, sorted: ids of instances, or addresses. What
// is registered under any address of a machine stays.
func wantedTargets(present []string, l cloud.Listener, change cloud.Change) []string {
	var wanted []string
	for _, id := range change.After.Targets {
		switch {
		case id.Unknown():
			wanted = append(wanted, id.Address())
		case l.ProviderFields[fieldTargetType] == option.TargetInstance:
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
			if a.Type == cloud.AddressInternalIP && !secgroup.IsIPv6(a.Address) {
				first = cmp.Or(first, a.Address)
			}
		}
	}
	return first
}

// registersAddresses reports whether the balancer's targets are addresses.
func registersAddresses(b cloud.Balancer) bool {
	return slices.ContainsFunc(b.Listeners, func(l cloud.Listener) bool { return l.ProviderFields[fieldTargetType] == option.TargetIP })
}

// missing returns the items of list that other does not have.
func missing(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return slices.Contains(other, item) })
}

// register adds targets to a group. Those that AWS does not take, such as an instance that is
// stopped, are noted in the snapshot.
func (d *Driver) register(ctx context.Context, s *snapshot, g targetGroup, ids []string) error {
	for batch := range slices.Chunk(ids, targetBatch) {
		if err := d.registerBatch(ctx, s, g, batch); err != nil {
			return err
		}
	}
	return nil
}

// registerBatch makes one call. AWS refuses all targets for one of them: then it is made for each
// half.
func (d *Driver) registerBatch(ctx context.Context, s *snapshot, g targetGroup, ids []string) error {
	_, err := d.Network.RegisterTargets(ctx, &elb.RegisterTargetsInput{TargetGroupArn: g.TargetGroupArn, Targets: targetList(ids)})
	switch {
	case err == nil:
		return nil
	case !failure.Is(err, codeBadTarget):
		return fmt.Errorf("registering %s with target group %s: %w", strings.Join(ids, ", "), awssdk.ToString(g.TargetGroupName), err)
	case len(ids) == 1:
		if s.refused == nil {
			s.refused = map[string]string{}
		}
		s.refused[ids[0]] = failure.Said(err)
		return nil
	}
	half := len(ids) / 2
	if err := d.registerBatch(ctx, s, g, ids[:half]); err != nil {
		return err
	}
	return d.registerBatch(ctx, s, g, ids[half:])
}

// refusedNotes say which nodes AWS does not take as targets, and why.
func (s *snapshot) refusedNotes(candidates []cloud.Target) []cloud.Warning {
	var notes []cloud.Warning
	for _, id := range slices.Sorted(maps.Keys(s.refused)) {
		node := id
		for _, c := range candidates {
			if isOf(cloud.InstanceID(id), c) || isOf(cloud.UnknownInstance(id), c) {
				node = c.NodeName
			}
		}
		notes = append(notes, cloud.Warning{Field: node, Message: "AWS does not take it as a target: " + s.refused[id], Reason: reasonSkipped})
	}
	return notes
}

func (d *Driver) deregister(ctx context.Context, g targetGroup, ids []string) error {
	for batch := range slices.Chunk(ids, targetBatch) {
		if _, err := d.Network.DeregisterTargets(ctx, &elb.DeregisterTargetsInput{TargetGroupArn: g.TargetGroupArn, Targets: targetList(batch)}); err != nil {
			return fmt.Errorf("deregistering %d targets from target group %s: %w", len(batch), awssdk.ToString(g.TargetGroupName), err)
		}
	}
	return nil
}

func targetList(ids []string) []elbtypes.TargetDescription {
	var list []elbtypes.TargetDescription
	for _, id := range ids {
		list = append(list, elbtypes.TargetDescription{Id: awssdk.String(id)})
	}
	return list
}
