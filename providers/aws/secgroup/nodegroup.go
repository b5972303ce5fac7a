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
	for _, machine := range machines {
		all := instance.Groups([]cloud.Target{machine})
		tagged := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !gs.Cluster.Has(tag.Of(inv.Groups[id].Tags)) })
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

// ShutNodes are the names of nodes of which NodeGroups opens none, sorted.
func (gs *Groups) ShutNodes(inv *vpc.Inventory, machines []cloud.Target) []string {
	var names []string
	for _, machine := range machines {
		if machine.Attributes[instance.AttributeTagged] == "true" && len(gs.NodeGroups(inv, []cloud.Target{machine})) == 0 {
			names = append(names, machine.NodeName)
		}
	}
	slices.Sort(names)
	return names
}
