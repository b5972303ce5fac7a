package tag

import (
	"regexp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Names of children are upstream's, byte by byte: what it made is found again by them.

var notAlphanumeric = regexp.MustCompile("[^a-zA-Z0-9]")

// Child is the form of names of what belongs to a Service: k8s-<namespace>-<name>-<hash>.
func Child(owner cloud.Owner, digest string) string { return Children(owner) + digest[:10] }

// Children is how the names of what belongs to a Service begin.
func Children(owner cloud.Owner) string {
	short := func(text string) string {
		text = notAlphanumeric.ReplaceAllString(text, "")
		return text[:min(len(text), 8)]
	}
	return ChildPrefix + short(owner.Namespace) + "-" + short(owner.Name) + "-"
}

// ChildPrefix is how the names of what belongs to any Service begin.
const ChildPrefix = "k8s-"
