package tag

import (
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// ObjectTags are all tags of an object that is made for a Service: its ownership tags and the tags of the
// annotation.
func (c Cluster) ObjectTags(spec cloud.Spec) map[string]string {
	tags := c.ownershipTagTags(spec.Owner)
	maps.Copy(tags, recorded(spec))
	return tags
}

// GroupTags are all tags of a security group that is made for a Service.
func (c Cluster) GroupTags(spec cloud.Spec) map[string]string {
	tags := c.ObjectTags(spec)
	delete(tags, serviceKey)
	return tags
}

// ownershipTagTags are the ownership tags of a Service's objects; security groups have no serviceKey.
func (c Cluster) ownershipTagTags(owner cloud.Owner) map[string]string {
	tags := c.Tags()
	maps.Copy(tags, OwnershipTags.Of(owner))
	if owner.Name != "" {
		tags[serviceKey] = owner.String()
	}
	return tags
}

// Tags are those of everything a cluster has, as upstream writes them.
func (c Cluster) Tags() map[string]string {
	tags := map[string]string{ClusterPrefix + c.ID: Owned}
	if c.Legacy {
		tags[LegacyKey] = c.ID
	}
	return tags
}

// recorded are the tags of the annotation with the one that lists their keys, as many as fit.
func recorded(spec cloud.Spec) map[string]string {
	tags, record := Wanted(spec), ""
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if next := record + "=" + key; len(next) <= option.MaxTagValue+1 {
			record = next
		}
	}
	if record != "" {
		tags[recordKey] = strings.TrimPrefix(record, "=")
	}
	return tags
}

// Wanted are the tags of the annotation; upstream's and ours win over them.
func Wanted(spec cloud.Spec) map[string]string {
	tags := option.ParseTags(option.Tags.In(spec.Options))
	maps.DeleteFunc(tags, func(key, _ string) bool { return Reserved(key) })
	return tags
}

// WantedOwnershipTags are the ownership tags as in cloud.Balancer.OwnershipTags.
func (c Cluster) WantedOwnershipTags(owner cloud.Owner) []string {
	return option.TagPairs(c.ownershipTagTags(owner))
}

// ObservedOwnershipTags are the ownership tags among the tags of a balancer.
func (c Cluster) ObservedOwnershipTags(tags map[string]string) []string {
	present := maps.Clone(tags)
	maps.DeleteFunc(present, func(key, _ string) bool { return !c.isOwnershipTag(key) })
	return option.TagPairs(present)
}

// Observed returns which tags of an object are managed, as in balancer.FieldTags: those that are
// wanted and those that were.
func Observed(tags map[string]string, spec cloud.Spec) string {
	managed := map[string]string{}
	for _, key := range slices.Concat(strings.Split(tags[recordKey], "="), slices.Collect(maps.Keys(Wanted(spec)))) {
		if value, present := tags[key]; present && key != "" && !Reserved(key) {
			managed[key] = value
		}
	}
	return option.TagText(managed)
}
