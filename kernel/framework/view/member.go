package view

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
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
		leaving:    target.Leaving(node),
		excluded:   target.Excluded(node),
	}
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
		if target.LeftOut(node, concerns) == "" {
			targets = append(targets, node)
		}
	}
	return targets
}
