package sim

import (
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Labels that say whom an object belongs to. All other labels are the user's own.
const (
	labelPrefix  = "ccm-"
	labelCluster = labelPrefix + "cluster"
	labelUID     = labelPrefix + "uid"
)

// ownerFields pairs each label with the field it holds.
func ownerFields(o *cloud.Owner) map[string]*string {
	return map[string]*string{
		labelCluster: &o.Cluster, labelUID: &o.UID,
		labelPrefix + "namespace": &o.Namespace, labelPrefix + "name": &o.Name, labelPrefix + "cloud": &o.Cloud,
	}
}

// ownerLabels returns the labels an object of this owner carries.
func ownerLabels(o cloud.Owner) map[string]string {
	labels := map[string]string{}
	for label, field := range ownerFields(&o) {
		if *field != "" {
			labels[label] = *field
		}
	}
	return labels
}

// ownerOf is the reverse of ownerLabels.
func ownerOf(labels map[string]string) (o cloud.Owner) {
	for label, field := range ownerFields(&o) {
		*field = labels[label]
	}
	return o
}

// marks returns the owner's labels among all labels, as the kernel compares them.
func marks(labels map[string]string) []string {
	var marks []string
	for label, value := range labels {
		if strings.HasPrefix(label, labelPrefix) {
			marks = append(marks, label+"="+value)
		}
	}
	slices.Sort(marks)
	return marks
}

// remark replaces the marks among labels and keeps the user's own.
func remark(labels map[string]string, marks []string) map[string]string {
	replaced := map[string]string{}
	maps.Copy(replaced, labels)
	maps.DeleteFunc(replaced, func(label, _ string) bool { return strings.HasPrefix(label, labelPrefix) })
	for _, mark := range marks {
		label, value, _ := strings.Cut(mark, "=")
		replaced[label] = value
	}
	return replaced
}
