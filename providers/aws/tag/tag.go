// Package tag says by tags what belongs to the cluster, and to which Service.
package tag

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// InAny reports whether tags say that the object is used by any cluster.
func InAny(tags map[string]string) bool {
	for key := range tags {
		if strings.HasPrefix(key, ClusterPrefix) {
			return true
		}
	}
	return false
}

// Held is on a network balancer that was there before this CCM. It lists the parts that stay as
// they were found, each with a digest of what the Service asked for then: "targetType=1f2e3d4c".
const Held = "multicloud-ccm.io/as-found"

// Timed is on a network balancer of which listeners were given an idle timeout. Without it, and without
// the annotation, nobody asks for theirs.
const Timed = "multicloud-ccm.io/idle-timeout"

// Tags upstream writes.
const (
	serviceKey    = "kubernetes.io/service-name" // namespace/name
	ClusterPrefix = "kubernetes.io/cluster/"     // and the cluster's id
	LegacyKey     = "KubernetesCluster"          // the cluster's id, before there were others
	Owned         = "owned"
)

// Controller is the tag by which the AWS Load Balancer Controller finds what it has made; its other
// tags begin with controllerPrefixes.
const Controller = "elbv2.k8s.aws/cluster"

var controllerPrefixes = []string{"elbv2.k8s.aws/", "service.k8s.aws/", "ingress.k8s.aws/"}

// Tags of our own.
const (
	// Marks are the tags of an owner beside upstream's.
	Marks = cloud.LabelMarks("multicloud-ccm.io/owner-")
	// recordKey lists the keys of additional tags, with "=" between them, so that they can be
	// removed when they are not wanted any more.
	recordKey = "multicloud-ccm.io/additional-tags"
)

// Cluster is a Kubernetes cluster as AWS knows it.
type Cluster struct {
	// ID is the id in the tags; legacy says that KubernetesCluster=<id> is one too.
	ID     string
	Legacy bool
	// VPC is where its machines, balancers and routes are.
	VPC string
}

// Tags are those of everything a cluster has, as upstream writes them.
func (c Cluster) Tags() map[string]string {
	tags := map[string]string{ClusterPrefix + c.ID: Owned}
	if c.Legacy {
		tags[LegacyKey] = c.ID
	}
	return tags
}

// Has reports whether tags say that the object is used by the cluster.
func (c Cluster) Has(tags map[string]string) bool {
	_, modern := tags[ClusterPrefix+c.ID]
	return modern || tags[LegacyKey] == c.ID
}

// Owns reports whether tags say that the object was made for the cluster.
func (c Cluster) Owns(tags map[string]string) bool {
	return tags[ClusterPrefix+c.ID] == Owned || tags[LegacyKey] == c.ID
}

// IsAnothers reports whether the tags of an object say that it is another cluster's.
func (c Cluster) IsAnothers(tags map[string]string, us cloud.Owner) bool {
	if cluster := Marks.Owner(tags).Cluster; cluster != "" && cluster != us.Cluster {
		return true
	}
	return InAny(tags) && !c.Has(tags)
}

// markTags are the owner marks of a Service's objects; security groups have no serviceKey.
func (c Cluster) markTags(owner cloud.Owner) map[string]string {
	tags := c.Tags()
	maps.Copy(tags, Marks.Of(owner))
	if owner.Name != "" {
		tags[serviceKey] = owner.String()
	}
	return tags
}

// WantedMarks are the marks as in cloud.Balancer.OwnershipTags.
func (c Cluster) WantedMarks(owner cloud.Owner) []string { return option.TagPairs(c.markTags(owner)) }

// ObservedMarks are the marks among the tags of a balancer.
func (c Cluster) ObservedMarks(tags map[string]string) []string {
	present := maps.Clone(tags)
	maps.DeleteFunc(present, func(key, _ string) bool { return !c.isMark(key) })
	return option.TagPairs(present)
}

// Owner returns what name and tags of an object claim:
//
//	our marks     serviceKey  cluster's tag  default name  claims
//	yes           –           –              –             what they say
//	no            –           –              this UID      that UID, and as below
//	no            yes         ours           –             this cluster, namespace and name
//	no            –           another's      –             that cluster
//	no            no          none           –             nothing
//
// What the AWS Load Balancer Controller made is of another cluster, whatever the name it gives that.
func (c Cluster) Owner(name string, tags map[string]string, us cloud.Owner) cloud.Owner {
	if owner := Marks.Owner(tags); owner.UID != "" {
		return owner
	}
	var owner cloud.Owner
	if us.UID != "" && name == cloud.UIDName(us.UID) {
		owner.UID = us.UID
	}
	owner.Namespace, owner.Name, _ = strings.Cut(tags[serviceKey], "/")
	owner.Cluster = c.clusterOf(tags, us)
	return owner
}

// clusterOf returns the cluster that tags of an object name, "" for none:
//
//	first that fits                              cluster
//	made for ours                                ours
//	made by the AWS Load Balancer Controller     the tag
//	made for another, or used by another only    that
//	used by ours                                 ours
func (c Cluster) clusterOf(tags map[string]string, us cloud.Owner) string {
	if c.Owns(tags) {
		return us.Cluster
	}
	if cluster, made := tags[Controller]; made {
		return Controller + "=" + cluster
	}
	another := ""
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		id, found := strings.CutPrefix(key, ClusterPrefix)
		if found && id != c.ID && (tags[key] == Owned || !c.Has(tags)) {
			another = cmp.Or(another, id)
		}
	}
	if another == "" && c.Has(tags) {
		return us.Cluster
	}
	return another
}

// IsOurs reports whether tags of a child, such as a target group, say that it was made for the
// Service.
func (c Cluster) IsOurs(tags map[string]string, us cloud.Owner) bool {
	if owner := Marks.Owner(tags); owner.UID != "" {
		return owner.UID == us.UID
	}
	return tags[serviceKey] == us.String() && c.Owns(tags)
}

// ObjectTags are all tags of an object that is made for a Service: its marks and the tags of the
// annotation.
func (c Cluster) ObjectTags(spec cloud.Spec) map[string]string {
	tags := Wanted(spec)
	if record := recordOf(tags); record != "" {
		tags[recordKey] = record
	}
	maps.Copy(tags, c.markTags(spec.Ref.Owner))
	return tags
}

// GroupTags are all tags of a security group that is made for a Service.
func (c Cluster) GroupTags(spec cloud.Spec) map[string]string {
	tags := c.ObjectTags(spec)
	delete(tags, serviceKey)
	return tags
}

// Wanted are the tags of the annotation; upstream's and ours win over them.
func Wanted(spec cloud.Spec) map[string]string {
	tags := option.ParseTags(option.Tags.In(spec.Options))
	maps.DeleteFunc(tags, func(key, _ string) bool { return Reserved(key) })
	return tags
}

// Reserved are tags that say whose an object is. Nobody may set them for somebody else's.
func Reserved(key string) bool {
	return slices.ContainsFunc(controllerPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) ||
		key == serviceKey || key == LegacyKey || key == recordKey || key == Held || key == Timed ||
		strings.HasPrefix(key, ClusterPrefix) || strings.HasPrefix(key, string(Marks))
}

// recordOf returns the value of recordKey for these tags, as many keys as fit.
func recordOf(tags map[string]string) string {
	var record string
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if next := record + "=" + key; len(next) <= option.MaxTagValue+1 {
			record = next
		}
	}
	return strings.TrimPrefix(record, "=")
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

// ByID reads the tags of objects, so many in one request. What is not there has none.
func ByID(ids []string, batch int, read func([]string) (map[string]map[string]string, error)) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	err := failure.Batches(ids, batch, failure.IsGone, func(some []string) error {
		tags, err := read(some)
		maps.Copy(all, tags)
		return err
	}, func(string, error) {})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Of returns tags by key.
func Of(tags []ec2types.Tag) map[string]string {
	m := map[string]string{}
	for _, tag := range tags {
		m[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return m
}

// List returns tags as EC2 takes them, sorted by key.
func List(tags map[string]string) []ec2types.Tag {
	return ListOf(tags, func(key, value *string) ec2types.Tag { return ec2types.Tag{Key: key, Value: value} })
}

// ListOf returns tags as an API takes them, sorted by key.
func ListOf[T any](tags map[string]string, form func(key, value *string) T) []T {
	var list []T
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, form(new(key), new(tags[key])))
	}
	return list
}
