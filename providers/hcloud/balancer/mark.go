package balancer

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

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

// marks are our labels beside upstream's.
const marks = cloud.LabelMarks(annotation.Prefix)

// labelsOf returns the labels that say whose a load balancer is.
func labelsOf(o cloud.Owner, adopted bool) map[string]string {
	uid := o.UID
	o.UID, o.Cluster, o.Cloud = "", encode(o.Cluster), encode(o.Cloud)
	labels := marks.Of(o)
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
	o := marks.Owner(labels)
	o.UID, o.Cluster, o.Cloud = labels[labelUID], decode(o.Cluster, self.Cluster), decode(o.Cloud, self.Cloud)
	return o
}

// isMark reports whether a label says whose the load balancer is.
func isMark(label string) bool {
	return label == labelUID || strings.HasPrefix(label, annotation.Prefix) && label != labelNetwork
}

// tagsOf lists the marks among labels, as in cloud.Balancer.
func tagsOf(labels map[string]string) []string {
	var tags []string
	for label, value := range labels {
		if isMark(label) {
			tags = append(tags, label+"="+value)
		}
	}
	slices.Sort(tags)
	return tags
}

// withTags returns labels with these marks in the place of those they have.
func withTags(labels map[string]string, tags []string) map[string]string {
	replaced := map[string]string{}
	maps.Copy(replaced, labels)
	maps.DeleteFunc(replaced, func(label, _ string) bool { return isMark(label) || label == labelNetwork })
	for _, tag := range tags {
		label, value, _ := strings.Cut(tag, "=")
		replaced[label] = value
	}
	return replaced
}

// encoded begins values that stand for another text, hashed those that stand for one that is too long.
const (
	encoded = "x-"
	hashed  = "h-"
)

var coding = base32.HexEncoding.WithPadding(base32.NoPadding)

// encode returns a text as the value of a label.
func encode(text string) string {
	special := strings.HasPrefix(text, encoded) || strings.HasPrefix(text, hashed)
	if text == "" || cloud.IsLabelValue(text) && !special {
		return text
	}
	if value := encoded + strings.ToLower(coding.EncodeToString([]byte(text))); len(value) <= 63 {
		return value
	}
	sum := sha256.Sum256([]byte(text))
	return hashed + hex.EncodeToString(sum[:24])
}

// decode is the inverse of encode. A text that was too long can be recognised where it is self.
func decode(value, self string) string {
	if self != "" && value == encode(self) {
		return self
	}
	if rest, ok := strings.CutPrefix(value, encoded); ok {
		if text, err := coding.DecodeString(strings.ToUpper(rest)); err == nil {
			return string(text)
		}
	}
	return value
}
