package tag

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Field is the managed field of a balancer with its tags besides the ownership tags: "k=v,k=v".
const Field = "tags"

// Add adds the tags that change on an existing balancer. Where only targets change it adds none:
//
//	tag                     wanted  is
//	tag                     yes     written where it differs
//	tag                     no      removed
//	of the annotation       yes     written where it differs
//	written down in record  no      removed
//	any other               –       left alone
func (c Cluster) Add(r *cloud.Resources, of cloud.Resource, have map[string]string, change cloud.Change) {
	before, after := change.Before.Balancer, *change.After
	if before.ProviderFields[Field] == after.ProviderFields[Field] && slices.Equal(before.OwnershipTags, after.OwnershipTags) {
		return
	}
	wanted := recorded(change.Input.Spec)
	for _, ownershipTag := range after.OwnershipTags {
		key, value, _ := strings.Cut(ownershipTag, "=")
		wanted[key] = value
	}
	var gone []string
	record := strings.Split(have[recordKey], "=")
	for key := range have {
		if _, stays := wanted[key]; !stays && (c.isOwnershipTag(key) || key == recordKey || slices.Contains(record, key)) {
			gone = append(gone, key)
		}
	}
	AddWanted(r, of, have, wanted, gone...)
}

func (c Cluster) isOwnershipTag(key string) bool {
	return key == serviceKey || key == Held || strings.HasPrefix(key, string(OwnershipTags)) || key == ClusterPrefix+c.ID ||
		key == LegacyKey && c.Legacy
}
