package cloud

import (
	"maps"
	"slices"
	"strings"
)

// Owner is what the ownership tags on a cloud object claim. Every object we create carries all
// fields; an upstream CCM's objects carry what upstream wrote, the rest is zero.
type Owner struct {
	// Cluster is the cluster id.
	Cluster   string
	Namespace string
	Name      string
	// UID is the Service's UID: proof where no other cluster is named beside it.
	UID string
	// Cloud is the name of the cloud entry in the configuration.
	Cloud string
	// Former are ids that the cluster had before. Only the owner that asks has any, never one that was read. No object carries them.
	Former FormerClusters `json:"-"`
}

// FormerClusters are ids that a cluster had before, in one text, so that owners can be compared.
type FormerClusters string

// formerSeparator is in no id: each is a word in a list with commas.
const formerSeparator = ","

// NewFormerClusters returns these ids.
func NewFormerClusters(ids ...string) FormerClusters {
	return FormerClusters(strings.Join(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" }), formerSeparator))
}

// IDs returns them one by one.
func (f FormerClusters) IDs() []string {
	if f == "" {
		return nil
	}
	return strings.Split(string(f), formerSeparator)
}

// HasCluster reports whether the owner's cluster has that id, or had it before.
func (o Owner) HasCluster(id string) bool {
	return id != "" && (id == o.Cluster || slices.Contains(o.Former.IDs(), id))
}

// ClusterWritten returns the id of the owner's cluster, the present one or a former one, which is written as this value in ownership
// tags. It is false where the value is another cluster's.
func (o Owner) ClusterWritten(value string, write func(id string) string) (id string, ok bool) {
	for _, id := range append([]string{o.Cluster}, o.Former.IDs()...) {
		if id != "" && write(id) == value {
			return id, true
		}
	}
	return "", false
}

// UIDName is the name that the cloud provider of Kubernetes gave a balancer: "a" and the Service's UID
// without dashes, cut to 32 characters. Of the UID's 32 hexadecimal digits 31 are in it, so that it is
// as good as the UID itself.
func UIDName(uid string) string {
	name := "a" + strings.ReplaceAll(uid, "-", "")
	return name[:min(len(name), 32)]
}

// String returns "namespace/name".
func (o Owner) String() string { return o.Namespace + "/" + o.Name }

// OwnershipLabels writes ownership tags as labels, for clouds whose objects have labels that take
// the values as they are. Its value is the prefix of the labels' keys: labels without it
// are the user's own.
type OwnershipLabels string

// fields pairs each label with the field of the owner it holds.
func (m OwnershipLabels) fields(o *Owner) map[string]*string {
	prefix := string(m)
	return map[string]*string{
		prefix + "cluster": &o.Cluster, prefix + "namespace": &o.Namespace, prefix + "name": &o.Name,
		prefix + "uid": &o.UID, prefix + "cloud": &o.Cloud,
	}
}

// Of returns the labels of an object of this owner. An empty field has none.
func (m OwnershipLabels) Of(o Owner) map[string]string {
	labels := map[string]string{}
	for label, field := range m.fields(&o) {
		if *field != "" {
			labels[label] = *field
		}
	}
	return labels
}

// Cluster returns the label that all objects of one cluster share.
func (m OwnershipLabels) Cluster(id string) map[string]string {
	return map[string]string{string(m) + "cluster": id}
}

// Service returns the label that all objects of one Service share.
func (m OwnershipLabels) Service(uid string) map[string]string {
	return map[string]string{string(m) + "uid": uid}
}

// Owner returns the owner that the labels of an object claim.
func (m OwnershipLabels) Owner(labels map[string]string) (o Owner) {
	for label, field := range m.fields(&o) {
		*field = labels[label]
	}
	return o
}

// List returns the ownership tags among all labels of an object as in Balancer.OwnershipTags: "key=value",
// sorted.
func (m OwnershipLabels) List(labels map[string]string) []string {
	var ownershipTags []string
	for label, value := range labels {
		if strings.HasPrefix(label, string(m)) {
			ownershipTags = append(ownershipTags, label+"="+value)
		}
	}
	slices.Sort(ownershipTags)
	return ownershipTags
}

// Replace returns labels with the ownership tags of the list instead of those they have; the user's
// own stay.
func (m OwnershipLabels) Replace(labels map[string]string, list []string) map[string]string {
	replaced := map[string]string{}
	maps.Copy(replaced, labels)
	maps.DeleteFunc(replaced, func(label, _ string) bool { return strings.HasPrefix(label, string(m)) })
	for _, ownershipTag := range list {
		label, value, _ := strings.Cut(ownershipTag, "=")
		replaced[label] = value
	}
	return replaced
}
