package secgroup

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Needs are the rules that the security groups of a balancer's nodes have to have, all the
// same ones.
type Needs struct {
	Groups []string
	Rules  Rules
	// Optional rules are neither missed nor too much.
	Optional Rules
	// Mine recognises a rule that was made for the balancer, among all of a group.
	Mine func(all Rules, r Rule, description string) bool
	// NewOwner says who else needs a rule; nil when nobody can. Only what is closed is asked for.
	NewOwner NewOwner
}

// Add adds a rule for each source, unless there is one.
func (n Needs) Add(transport string, port int, sources []string, description string) {
	for _, source := range sources {
		r := Port(transport, port, source)
		if _, taken := n.Rules[r]; !taken {
			n.Rules[r] = description
		}
	}
}

func (n Needs) left(group string, r Rule) (needed bool, description string, err error) {
	if n.NewOwner == nil {
		return false, "", nil
	}
	return n.NewOwner(group, r)
}

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

// Surplus returns the rules for the balancer on a group that it does not need there.
func (n Needs) Surplus(inv *vpc.Inventory, id string) Rules {
	left, all := Rules{}, Ingress(inv.Groups[id])
	for r, description := range all {
		_, needed := n.Rules[r]
		_, optional := n.Optional[r]
		used := (needed || optional) && slices.Contains(n.Groups, id)
		// What lets the members of a group talk to each other is never a balancer's, though one may
		// have had that group too.
		if !used && r.Source != id && n.Mine(all, r, description) {
			left[r] = description
		}
	}
	return left
}

// NewOwner says whether another balancer needs a rule in that security group, and the description it
// then gets.
type NewOwner func(group string, r Rule) (needed bool, description string, err error)
