package aws

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// nodeNeeds are the rules that the security groups of a balancer's nodes have to have, all the
// same ones.
type nodeNeeds struct {
	groups []string
	rules  rules
	// optional rules are neither missed nor too much.
	optional rules
	// mine recognises a rule that was made for the balancer, among all of a group.
	mine func(all rules, r rule, description string) bool
	// newOwner says who else needs a rule; nil when nobody can. Only what is closed is asked for.
	newOwner newOwner
}

func (n nodeNeeds) left(group string, r rule) (needed bool, description string, err error) {
	if n.newOwner == nil {
		return false, "", nil
	}
	return n.newOwner(group, r)
}

// nodeGroups returns the ids of the security groups to open for these machines, sorted:
//
//	groups with the cluster's tag  groups in all  opened
//	one or more                    –              those with the tag
//	none                           one            that one
//	none                           more           none, see shutNodes
func (d *Driver) nodeGroups(a *area, machines []cloud.Target) []string {
	var ids []string
	for _, machine := range machines {
		all := groupsOf([]cloud.Target{machine})
		tagged := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !d.config.Cluster.Has(tag.Of(a.groups[id].Tags)) })
		switch {
		case len(tagged) > 0:
			ids = append(ids, tagged...)
		case len(all) == 1:
			ids = append(ids, all...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// shutNodes are the names of nodes of which nodeGroups opens none, sorted.
func (d *Driver) shutNodes(a *area, machines []cloud.Target) []string {
	var names []string
	for _, machine := range machines {
		if machine.Attributes[attributeTagged] == "true" && len(d.nodeGroups(a, []cloud.Target{machine})) == 0 {
			names = append(names, machine.NodeName)
		}
	}
	slices.Sort(names)
	return names
}

// targetsOf returns the candidates that are among the targets.
func targetsOf(candidates []cloud.Target, targets []cloud.InstanceID) []cloud.Target {
	return slices.DeleteFunc(slices.Clone(candidates), func(c cloud.Target) bool { return !slices.Contains(targets, c.InstanceID) })
}

// surplus returns the rules for the balancer on a group that it does not need there.
func (n nodeNeeds) surplus(a *area, id string) rules {
	left, all := rules{}, ingress(a.groups[id])
	for r, description := range all {
		_, needed := n.rules[r]
		_, optional := n.optional[r]
		used := (needed || optional) && slices.Contains(n.groups, id)
		// What lets the members of a group talk to each other is never a balancer's, though one may
		// have had that group too.
		if !used && r.source != id && n.mine(all, r, description) {
			left[r] = description
		}
	}
	return left
}

// drift says in words how the nodes' groups differ from what the balancer needs, "" when they do
// not. A rule that is there does, whatever its description: EC2 can't have it twice. With doubt,
// when a target is no candidate, what seems too much may be needed.
func (n nodeNeeds) drift(a *area, doubt bool) string {
	var parts []string
	for _, id := range sortedGroups(a) {
		text := ""
		if slices.Contains(n.groups, id) {
			text = rules{}.drift(n.rules.without(ingress(a.groups[id])))
		}
		if more := n.surplus(a, id).drift(rules{}); more != "" && !doubt {
			text = strings.TrimPrefix(text+", "+more, ", ")
		}
		if text != "" {
			parts = append(parts, id+" "+text)
		}
	}
	return strings.Join(parts, "; ")
}

// openNodes adds the rules that are missing.
func (d *Driver) openNodes(ctx context.Context, a *area, n nodeNeeds) error {
	if d.config.Balancer.LeaveNodeGroups {
		return nil
	}
	for _, id := range n.groups {
		group, known := a.groups[id]
		if !known {
			return fmt.Errorf("opening the nodes: security group %s of a node does not exist", id)
		}
		if err := d.authorize(ctx, id, n.rules.without(ingress(group))); err != nil {
			return err
		}
	}
	return nil
}

// newOwner says whether another balancer needs a rule in that security group, and the description it
// then gets.
type newOwner func(group string, r rule) (needed bool, description string, err error)

// closeNodes removes the rules that were made for the balancer and are not needed any more. One
// that another balancer needs gets its description.
func (d *Driver) closeNodes(ctx context.Context, a *area, n nodeNeeds) error {
	if d.config.Balancer.LeaveNodeGroups {
		return nil
	}
	for _, id := range sortedGroups(a) {
		gone, inherited := rules{}, rules{}
		for r, description := range n.surplus(a, id) {
			needed, next, err := n.left(id, r)
			switch {
			case err != nil:
				return err
			case !needed:
				gone[r] = description
			case next != description:
				inherited[r] = next
			}
		}
		if err := d.describe(ctx, id, inherited); err != nil {
			return err
		}
		if err := d.revoke(ctx, id, gone); err != nil {
			return err
		}
	}
	return nil
}

func sortedGroups(a *area) []string { return slices.Sorted(maps.Keys(a.groups)) }
