package instance

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Ownership says whose a Node is.
type Ownership string

// The owners a Node can have, seen from one cloud.
const (
	// Mine is this cloud's.
	Mine Ownership = "mine"
	// Foreign has a provider-ID of another cloud, or of another region or project of this one:
	// it exists and is never touched.
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
var optOuts = []struct{ label, value string }{
	{LabelUnmanaged, "true"},
	{"kubernetes.azure.com/managed", "false"},
	{"components.gke.io/gke-unmanaged-node", "true"},
	{"k8s.scw.cloud/disable-lifecycle", ""},
}

// Owner says whose a Node is for a cloud that these provider-IDs concern. It is a pure function
// of the Node. The first row that fits decides:
//
//	opt-out label  provider-ID      uninitialised taint  owner
//	yes            –                –                    opted out
//	no             concerns us      –                    mine
//	no             any other        –                    foreign
//	no             empty            yes                  mine, to be found by name
//	no             empty            no                   unmanaged
func Owner(node *corev1.Node, concerns func(providerID string) bool) Ownership {
	switch id := node.Spec.ProviderID; {
	case optedOut(node):
		return OptedOut
	case id != "" && concerns(id):
		return Mine
	case id != "":
		return Foreign
	case Uninitialized(node):
		return Mine
	default:
		return Unmanaged
	}
}

func optedOut(node *corev1.Node) bool {
	if len(node.Labels) == 0 {
		return false
	}
	for _, optOut := range optOuts {
		if value, ok := node.Labels[optOut.label]; ok && (optOut.value == "" || value == optOut.value) {
			return true
		}
	}
	return false
}

// Uninitialized reports whether the Node still waits for its cloud.
func Uninitialized(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == taintUninitialized })
}

// Ready reports whether the Node is Ready.
func Ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// unreadySince reports whether the Node has not been Ready since that time or longer.
func unreadySince(node *corev1.Node, at time.Time) bool {
	since := node.CreationTimestamp // of a Node that never reported
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			since = c.LastTransitionTime
		}
	}
	return !Ready(node) && !since.After(at)
}
