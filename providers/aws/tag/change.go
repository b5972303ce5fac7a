package tag

import (
	"context"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Field is the managed field of a balancer with its tags besides the owner marks: "k=v,k=v".
const Field = "tags"

// Kind is the kind of the tags of a balancer and of what belongs to it, of which Native has the ids. Tags without value are
// removed.
func Kind(name string, write func(ctx context.Context, ids []string, add map[string]string, remove []string) error) cloud.ResourceKind {
	return cloud.ResourceKind{Name: name, Update: func(ctx context.Context, _, wanted cloud.Resource, keys []string) error {
		ids, _ := wanted.Native.([]string)
		add, remove := map[string]string{}, []string{}
		for _, key := range keys {
			if value, is := wanted.Fields[key].(string); is {
				add[key] = value
			} else {
				remove = append(remove, key)
			}
		}
		return write(ctx, ids, add, remove)
	}}
}

// Add adds the tags that change on an existing balancer. Where only targets change it adds none.
func (c Cluster) Add(r *cloud.Resources, of cloud.Resource, have map[string]string, change cloud.Change) {
	before, after := change.Before.Balancer, *change.After
	if before.ProviderFields[Field] == after.ProviderFields[Field] && slices.Equal(before.OwnershipTags, after.OwnershipTags) {
		return
	}
	present, wanted := c.fields(have, change)
	of.Fields = present
	r.Present = append(r.Present, of)
	of.Fields = wanted
	r.Wanted = append(r.Wanted, of)
}

// fields returns the tags of an object that change, by their keys, nil in the place of one that is not
// there or goes:
//
//	tag                     wanted  is
//	mark                    yes     written where it differs
//	mark                    no      removed
//	of the annotation       yes     written where it differs
//	written down in record  no      removed
//	any other               –       left alone
func (c Cluster) fields(have map[string]string, change cloud.Change) (present, wanted map[string]any) {
	all := Wanted(change.Spec)
	if record := recordOf(all); record != "" {
		all[recordKey] = record
	}
	for _, mark := range change.After.OwnershipTags {
		key, value, _ := strings.Cut(mark, "=")
		all[key] = value
	}
	present, wanted = map[string]any{}, map[string]any{}
	for key, value := range all {
		switch is, there := have[key]; {
		case !there:
			present[key], wanted[key] = nil, value
		case is != value:
			present[key], wanted[key] = is, value
		}
	}
	recorded := strings.Split(have[recordKey], "=")
	for key, value := range have {
		_, stays := all[key]
		if !stays && (c.isMark(key) || key == recordKey || slices.Contains(recorded, key)) {
			present[key], wanted[key] = value, nil
		}
	}
	return present, wanted
}

func (c Cluster) isMark(key string) bool {
	return key == serviceKey || key == Held || strings.HasPrefix(key, string(Marks)) || key == ClusterPrefix+c.ID ||
		key == LegacyKey && c.Legacy
}
