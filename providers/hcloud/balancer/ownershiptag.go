package balancer

import (
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Labels of load balancers. The first is upstream's, which its certificates have too.
const (
	labelUID = "hcloud-ccm/service-uid"
	// labelAdopted says that the load balancer was there before the Service, which gives it back.
	labelAdopted = annotation.Prefix + "adopted"
	// labelNetwork is the network that it was attached to by us. It changes after everything else.
	labelNetwork = annotation.Prefix + "network"
	// labelKept names what was unlike the default before us, and stays until the Service says something.
	labelKept = annotation.Prefix + "kept"
)

const yes = "true"

// ownership tags are our labels beside upstream's.
const ownershipTags = cloud.OwnershipLabels(annotation.Prefix)

// labelsOf returns the labels that say whose a load balancer is.
func labelsOf(o cloud.Owner, adopted bool) map[string]string {
	uid := o.UID
	o.UID, o.Cluster, o.Cloud = "", cloud.EncodeLabel(o.Cluster), cloud.EncodeLabel(o.Cloud)
	labels := ownershipTags.Of(o)
	if uid != "" {
		labels[labelUID] = uid
	}
	if adopted {
		labels[labelAdopted] = yes
	}
	return labels
}

// ownerOf returns the owner that labels claim. Self is the Service that asks.
func ownerOf(labels map[string]string, self cloud.Owner) cloud.Owner {
	o := ownershipTags.Owner(labels)
	o.UID, o.Cluster, o.Cloud = labels[labelUID], cloud.DecodeLabel(o.Cluster, self.Cluster), cloud.DecodeLabel(o.Cloud, self.Cloud)
	return o
}

// tagsOf lists the ownership tags among labels, as in cloud.Balancer.
func tagsOf(labels map[string]string) []string {
	ours := maps.Clone(labels)
	delete(ours, labelNetwork)
	tags := ownershipTags.List(ours)
	if uid, tagged := labels[labelUID]; tagged {
		tags = append(tags, labelUID+"="+uid)
	}
	slices.Sort(tags)
	return tags
}

// withTags returns labels with these ownership tags in the place of those they have.
func withTags(labels map[string]string, tags []string) map[string]string {
	others := maps.Clone(labels)
	delete(others, labelUID)
	return ownershipTags.Replace(others, tags)
}
