package instance

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Ownership says whose a Node is.
type Ownership string

// The owners a Node can have, seen from one cloud.
const (
	// Mine is this cloud's.
	Mine Ownership = "mine"
	// Foreign has a provider-ID of another cloud: it exists and is never touched.
	Foreign Ownership = "foreign"
	// OptedOut carries a label that keeps cloud controllers away.
	OptedOut Ownership = "optedOut"
	// Unmanaged is of no cloud: its kubelet runs without --cloud-provider=external.
	Unmanaged Ownership = "unmanaged"
)

// LabelUnmanaged set to "true" keeps us away from a Node.
const LabelUnmanaged = "multicloud-ccm.io/unmanaged"

// taintUninitialized is set by kubelets with --cloud-provider=external until a cloud
// controller manager has initialised the Node.
const taintUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"

// optOuts are the labels that keep cloud controllers away: ours and those of other CCMs,
// so that a Node stays left alone when they are replaced. "" means any value.
var optOuts = map[string]string{
	LabelUnmanaged:                         "true",
	"kubernetes.azure.com/managed":         "false",
	"components.gke.io/gke-unmanaged-node": "true",
	"k8s.scw.cloud/disable-lifecycle":      "",
}

// Owner says whose a Node is for a cloud with these provider-ID schemes. It is a pure
// function of the Node. The first row that fits decides:
//
//	opt-out label  provider-ID scheme  uninitialised taint  owner
//	yes            –                   –                    opted out
//	no             one of schemes      –                    mine
//	no             another, or none    –                    foreign
//	no             provider-ID empty   yes                  mine, to be found by name
//	no             provider-ID empty   no                   unmanaged
func Owner(node *corev1.Node, schemes []string) Ownership {
	switch id := node.Spec.ProviderID; {
	case optedOut(node):
		return OptedOut
	case id != "" && slices.Contains(schemes, scheme(id)):
		return Mine
	case id != "":
		return Foreign
	case Uninitialized(node):
		return Mine
	default:
		return Unmanaged
	}
}

// scheme returns what is before "://", "" when the id has no scheme.
func scheme(providerID string) string {
	before, _, found := strings.Cut(providerID, "://")
	if !found {
		return ""
	}
	return before
}

func optedOut(node *corev1.Node) bool {
	for label, want := range optOuts {
		if value, ok := node.Labels[label]; ok && (want == "" || value == want) {
			return true
		}
	}
	return false
}

// Uninitialized reports whether the Node still waits for its cloud.
func Uninitialized(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == taintUninitialized })
}

func ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}
