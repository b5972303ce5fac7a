// Package names gives upstream's names to what belongs to a Service.
package names

import (
	"regexp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Names are upstream's, byte by byte: what it made is found again by them.

// Max is the longest name of a balancer or target group (CreateLoadBalancer, Name).
const Max = 32

var notAlphanumeric = regexp.MustCompile("[^a-zA-Z0-9]")

// Child is the form of names of what belongs to a Service: k8s-<namespace>-<name>-<hash>.
func Child(owner cloud.Owner, digest string) string {
	short := func(text string) string {
		text = notAlphanumeric.ReplaceAllString(text, "")
		return text[:min(len(text), 8)]
	}
	return "k8s-" + short(owner.Namespace) + "-" + short(owner.Name) + "-" + digest[:10]
}

// IsChild reports whether a name is one of Child's form.
func IsChild(name string) bool {
	return strings.HasPrefix(name, "k8s-")
}

// OwnGroup stands for the balancer's own security group, which may have to be made.
const OwnGroup = "own"
