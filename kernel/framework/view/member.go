package view

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	servicecontroller "k8s.io/cloud-provider/controllers/service"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// member is what decides whether a Node is handed to balancers, and as which machine.
type member struct {
	uid        string
	providerID string
	named      bool // to be found by name
	leaving    bool
	excluded   bool
}

func membership(node *corev1.Node) member {
	return member{
		uid:        string(node.UID),
		providerID: node.Spec.ProviderID,
		named:      node.Spec.ProviderID == "" && !instance.Uninitialized(node),
		leaving:    node.DeletionTimestamp != nil || Tainted(node, servicecontroller.ToBeDeletedTaint),
		excluded:   excluded(node),
	}
}

// excluded reads the label as upstream does: "false" includes, nonsense excludes.
func excluded(node *corev1.Node) bool {
	value, ok := node.Labels[corev1.LabelNodeExcludeBalancers]
	if !ok {
		return false
	}
	exclude, err := strconv.ParseBool(value)
	return err != nil || exclude
}

// Tainted reports whether the Node has a taint of that key.
func Tainted(node *corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == key })
}

// Targets returns those of the Nodes that are handed to balancers, for a cloud that these
// provider-IDs concern.
func Targets(nodes []*corev1.Node, concerns func(providerID string) bool) []*corev1.Node {
	var targets []*corev1.Node
	for _, node := range nodes {
		if LeftOut(node, concerns) == "" {
			targets = append(targets, node)
		}
	}
	return targets
}

// LeftOut says why a Node is not handed to balancers, "" when it is.
func LeftOut(node *corev1.Node, concerns func(providerID string) bool) string {
	m := membership(node)
	switch owner := instance.Owner(node, concerns); {
	case owner == instance.Foreign:
		return "its provider-ID belongs to another cloud"
	case owner == instance.OptedOut:
		return "it has a label that keeps cloud controllers away"
	case m.excluded:
		return "it has the label " + corev1.LabelNodeExcludeBalancers
	case m.leaving:
		return "it is being deleted"
	}
	return ""
}
