package secgroup

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// NodeGroups returns the ids of the security groups to open for these machines, sorted:
//
//	groups with the cluster's tag  groups in all  opened
//	one or more                    –              those with the tag
//	none                           one            that one
//	none                           more           none, see ShutNodes
func (gs *Groups) NodeGroups(inv *vpc.Inventory, machines []cloud.Target) []string {
	var ids []string
	opened := gs.opened(inv)
	for _, machine := range machines {
		ids = append(ids, opened(machine)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ShutNodes are the names of nodes of which NodeGroups opens none, sorted.
func (gs *Groups) ShutNodes(inv *vpc.Inventory, machines []cloud.Target) []string {
	var names []string
	opened := gs.opened(inv)
	for _, machine := range machines {
		if machine.Attributes[instance.AttributeTagged] == "true" && len(opened(machine)) == 0 {
			names = append(names, machine.NodeName)
		}
	}
	slices.Sort(names)
	return names
}

// opened returns what is opened for one machine. Most have the same groups, so that it is found out once for each set.
func (gs *Groups) opened(inv *vpc.Inventory) func(cloud.Target) []string {
	known := map[string][]string{}
	return func(machine cloud.Target) []string {
		set := machine.Attributes[instance.AttributeGroups]
		if ids, is := known[set]; is {
			return ids
		}
		all := instance.Groups([]cloud.Target{machine})
		tagged := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !gs.Cluster.Has(tag.Of(inv.Groups[id].Tags)) })
		switch {
		case len(tagged) > 0:
			known[set] = tagged
		case len(all) == 1:
			known[set] = all
		default:
			known[set] = nil
		}
		return known[set]
	}
}
