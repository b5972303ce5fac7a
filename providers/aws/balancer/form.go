package balancer

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// List returns the items of a list with commas.
func List(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// Joined returns the items with commas.
func Joined(items []string) string {
	items = slices.Clone(items)
	slices.Sort(items)
	return strings.Join(items, ",")
}

// Refs refer to the items of FieldGroups: the balancer's own security group is a resource, the others have ids.
func Refs(groups string, own secgroup.Name) (refs []cloud.Reference) {
	for _, id := range List(groups) {
		if id == secgroup.OwnGroup {
			refs = append(refs, cloud.To(cloud.IDOf{Kind: secgroup.KindGroup, Key: own.Name}))
		} else {
			refs = append(refs, cloud.ToID(id))
		}
	}
	return refs
}

// GroupsText returns security groups as in FieldGroups. Own is the id of the balancer's own one.
func GroupsText(ids []string, own string) string {
	ids = slices.Clone(ids)
	for i, id := range ids {
		if id == own {
			ids[i] = secgroup.OwnGroup
		}
	}
	return Joined(ids)
}
