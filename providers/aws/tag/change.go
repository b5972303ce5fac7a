package tag

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Reserved are tags that say whose an object is. Nobody may set them for somebody else's.
func Reserved(key string) bool {
	return slices.ContainsFunc(controllerPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) ||
		key == serviceKey || key == LegacyKey || key == recordKey || key == Held || key == Timed ||
		strings.HasPrefix(key, ClusterPrefix) || strings.HasPrefix(key, string(OwnershipTags))
}

// AddWanted adds the tags that an object has to have, and those that it may not have any more, by their keys, nil in the place of
// one that is not there or goes. AWS takes the two in a request each, so that they are two resources. See Kind.
func AddWanted(r *cloud.Resources, of cloud.Resource, have, wanted map[string]string, gone ...string) {
	add := func(present, after cloud.Fields) {
		of.Fields = present
		r.Present = append(r.Present, of)
		of.Fields = after
		r.Wanted = append(r.Wanted, of)
	}
	var present, after, removed, none cloud.Fields
	for key, value := range wanted {
		var has *string
		if is, there := have[key]; there {
			has = &is
		}
		present, after = present.With(field(key).Is(has)), after.With(field(key).Is(&value))
	}
	add(present, after)
	for _, key := range gone {
		removed, none = removed.With(field(key).Is(new(have[key]))), none.With(field(key).Is(nil))
	}
	if len(gone) > 0 {
		of.Key += removal
		add(removed, none)
	}
}

// field is the tag with that key.
func field(key string) cloud.Field[*string] { return cloud.NewField[*string](key) }

// removal ends the keys of resources that are tags which go.
const removal = ", those that go"
