package aws

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Tags upstream writes.
const (
	tagService       = "kubernetes.io/service-name" // namespace/name
	tagClusterPrefix = "kubernetes.io/cluster/"     // and the cluster's id
	tagLegacy        = "KubernetesCluster"          // the cluster's id, before there were others
	valueOwned       = "owned"
)

// Tags of the AWS Load Balancer Controller. It finds what it has made by them.
const tagController = "elbv2.k8s.aws/cluster"

var controllerPrefixes = []string{"elbv2.k8s.aws/", "service.k8s.aws/", "ingress.k8s.aws/"}

// Tags of our own.
const (
	// marks are the tags of an owner beside upstream's.
	marks = cloud.LabelMarks("multicloud-ccm.io/owner-")
	// tagRecord lists the keys of additional tags, with "=" between them, so that they can be
	// removed when they are not wanted any more.
	tagRecord = "multicloud-ccm.io/additional-tags"
	// maxTagValue is the longest value of a tag.
	maxTagValue = 256
)

// clusterTags are those of everything a cluster has, as upstream writes them.
func (d *Driver) clusterTags() map[string]string {
	tags := map[string]string{tagClusterPrefix + d.config.clusterID: valueOwned}
	if d.config.legacyTag {
		tags[tagLegacy] = d.config.clusterID
	}
	return tags
}

// inCluster reports whether tags say that the object is used by the cluster.
func (d *Driver) inCluster(tags map[string]string) bool {
	_, modern := tags[tagClusterPrefix+d.config.clusterID]
	return modern || tags[tagLegacy] == d.config.clusterID
}

// ownedByCluster reports whether tags say that the object was made for the cluster.
func (d *Driver) ownedByCluster(tags map[string]string) bool {
	return tags[tagClusterPrefix+d.config.clusterID] == valueOwned || tags[tagLegacy] == d.config.clusterID
}

// markTags are the owner marks of a Service's objects; security groups have no tagService.
func (d *Driver) markTags(owner cloud.Owner) map[string]string {
	tags := d.clusterTags()
	maps.Copy(tags, marks.Of(owner))
	if owner.Name != "" {
		tags[tagService] = owner.String()
	}
	return tags
}

// wantedMarks are the marks as in cloud.Balancer.OwnershipTags.
func (d *Driver) wantedMarks(owner cloud.Owner) []string { return markList(d.markTags(owner)) }

// observedMarks are the marks among the tags of a balancer.
func (d *Driver) observedMarks(tags map[string]string) []string {
	present := maps.Clone(tags)
	maps.DeleteFunc(present, func(key, _ string) bool { return !d.isMark(key) })
	return markList(present)
}

func (d *Driver) isMark(key string) bool {
	return key == tagService || key == tagHeld || strings.HasPrefix(key, string(marks)) || key == tagClusterPrefix+d.config.clusterID ||
		key == tagLegacy && d.config.legacyTag
}

func markList(tags map[string]string) []string {
	var list []string
	for key, value := range tags {
		list = append(list, key+"="+value)
	}
	slices.Sort(list)
	return list
}

// owner returns what name and tags of an object claim:
//
//	our marks     tagService  cluster's tag  default name  claims
//	yes           –           –              –             what they say
//	no            –           –              this UID      that UID, and as below
//	no            yes         ours           –             this cluster, namespace and name
//	no            –           another's      –             that cluster
//	no            no          none           –             nothing
//
// What the AWS Load Balancer Controller made is of another cluster, whatever the name it gives that.
func (d *Driver) owner(name string, tags map[string]string, us cloud.Owner) cloud.Owner {
	if owner := marks.Owner(tags); owner.UID != "" {
		return owner
	}
	var owner cloud.Owner
	if us.UID != "" && name == defaultName(us.UID) {
		owner.UID = us.UID
	}
	owner.Namespace, owner.Name, _ = strings.Cut(tags[tagService], "/")
	owner.Cluster = d.clusterOf(tags, us)
	return owner
}

// clusterOf returns the cluster that tags of an object name, "" for none:
//
//	first that fits                              cluster
//	made for ours                                ours
//	made by the AWS Load Balancer Controller     the tag
//	made for another, or used by another only    that
//	used by ours                                 ours
func (d *Driver) clusterOf(tags map[string]string, us cloud.Owner) string {
	if d.ownedByCluster(tags) {
		return us.Cluster
	}
	if cluster, made := tags[tagController]; made {
		return tagController + "=" + cluster
	}
	another := ""
	for _, key := range sortedKeys(tags) {
		id, found := strings.CutPrefix(key, tagClusterPrefix)
		if found && id != d.config.clusterID && (tags[key] == valueOwned || !d.inCluster(tags)) {
			another = cmp.Or(another, id)
		}
	}
	if another == "" && d.inCluster(tags) {
		return us.Cluster
	}
	return another
}

// isOurs reports whether tags of a child, such as a target group, say that it was made for the
// Service.
func (d *Driver) isOurs(tags map[string]string, us cloud.Owner) bool {
	if owner := marks.Owner(tags); owner.UID != "" {
		return owner.UID == us.UID
	}
	return tags[tagService] == us.String() && d.ownedByCluster(tags)
}

// objectTags are all tags of an object that is made for a Service: its marks and the tags of the
// annotation.
func (d *Driver) objectTags(spec cloud.Spec) map[string]string {
	tags := wantedTags(spec)
	if record := recordOf(tags); record != "" {
		tags[tagRecord] = record
	}
	maps.Copy(tags, d.markTags(spec.Ref.Owner))
	return tags
}

// groupTags are all tags of a security group that is made for a Service.
func (d *Driver) groupTags(spec cloud.Spec) map[string]string {
	tags := d.objectTags(spec)
	delete(tags, tagService)
	return tags
}

// wantedTags are the tags of the annotation; upstream's and ours win over them.
func wantedTags(spec cloud.Spec) map[string]string {
	tags := parseTags(keyTags.In(spec.Options))
	maps.DeleteFunc(tags, func(key, _ string) bool { return reserved(key) })
	return tags
}

// reserved are tags that say whose an object is. Nobody may set them for somebody else's.
func reserved(key string) bool {
	return slices.ContainsFunc(controllerPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) ||
		key == tagService || key == tagLegacy || key == tagRecord || key == tagHeld ||
		strings.HasPrefix(key, tagClusterPrefix) || strings.HasPrefix(key, string(marks))
}

// recordOf returns the value of tagRecord for these tags, as many keys as fit.
func recordOf(tags map[string]string) string {
	var record string
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if next := record + "=" + key; len(next) <= maxTagValue+1 {
			record = next
		}
	}
	return strings.TrimPrefix(record, "=")
}

// observedTags returns which tags of an object are managed, as in fieldTags: those that are
// wanted and those that were.
func observedTags(tags map[string]string, spec cloud.Spec) string {
	managed := map[string]string{}
	for _, key := range slices.Concat(strings.Split(tags[tagRecord], "="), slices.Collect(maps.Keys(wantedTags(spec)))) {
		if value, present := tags[key]; present && key != "" && !reserved(key) {
			managed[key] = value
		}
	}
	return tagText(managed)
}

// retag says how the tags of an object change:
//
//	tag                     wanted  is
//	mark                    yes     written where it differs
//	mark                    no      removed
//	of the annotation       yes     written where it differs
//	written down in record  no      removed
//	any other               –       left alone
func (d *Driver) retag(have map[string]string, change cloud.Change) (add map[string]string, remove []string) {
	wanted := wantedTags(change.Spec)
	if record := recordOf(wanted); record != "" {
		wanted[tagRecord] = record
	}
	for _, mark := range change.After.OwnershipTags {
		key, value, _ := strings.Cut(mark, "=")
		wanted[key] = value
	}
	recorded := strings.Split(have[tagRecord], "=")
	add = maps.Clone(wanted)
	maps.DeleteFunc(add, func(key, value string) bool { present, ok := have[key]; return ok && present == value })
	for _, key := range slices.Sorted(maps.Keys(have)) {
		_, stays := wanted[key]
		if !stays && (d.isMark(key) || key == tagRecord || slices.Contains(recorded, key)) {
			remove = append(remove, key)
		}
	}
	return add, remove
}
