// Package label is about the labels of objects that say whose they are.
package label

import (
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Labels of load balancers. Managed certificates have the first one, which is upstream's, and the ownership tags.
const (
	UID = "hcloud-ccm/service-uid"
	// Adopted says that the load balancer was there before the Service, which gives it back.
	Adopted = annotation.Prefix + "adopted"
	// Network is the network that it was attached to by us. It changes after everything else.
	Network = annotation.Prefix + "network"
	// Kept names what was unlike the default before us, and stays until the Service says something.
	Kept = annotation.Prefix + "kept"
)

// ownershipTags are our labels beside upstream's.
const ownershipTags = cloud.OwnershipLabels(annotation.Prefix)

// Of returns the labels that say whose an object is.
func Of(o cloud.Owner, adopted bool) map[string]string {
	uid := o.UID
	o.UID, o.Cluster, o.Cloud = "", cloud.EncodeLabel(o.Cluster), cloud.EncodeLabel(o.Cloud)
	labels := ownershipTags.Of(o)
	if uid != "" {
		labels[UID] = uid
	}
	if adopted {
		labels[Adopted] = "true"
	}
	return labels
}

// Owner returns the owner that labels claim. Self is the Service that asks.
func Owner(labels map[string]string, self cloud.Owner) cloud.Owner {
	o := ownershipTags.Owner(labels)
	o.UID, o.Cloud = labels[UID], cloud.DecodeLabel(o.Cloud, self.Cloud)
	if id, here := self.ClusterWritten(o.Cluster, cloud.EncodeLabel); here {
		o.Cluster = id
	} else {
		o.Cluster = cloud.DecodeLabel(o.Cluster, "")
	}
	return o
}

// Tags lists the ownership tags among labels, as in cloud.Balancer.
func Tags(labels map[string]string) []string {
	ours := maps.Clone(labels)
	delete(ours, Network)
	tags := ownershipTags.List(ours)
	if uid, tagged := labels[UID]; tagged {
		tags = append(tags, UID+"="+uid)
	}
	slices.Sort(tags)
	return tags
}

// With returns labels with these ownership tags in the place of those they have.
func With(labels map[string]string, tags []string) map[string]string {
	others := maps.Clone(labels)
	delete(others, UID)
	return ownershipTags.Replace(others, tags)
}

// Join returns the value of a label with several words.
func Join(words []string) string { return strings.Join(words, "_") }

// Split is the inverse of Join.
func Split(value string) []string { return strings.Split(value, "_") }
