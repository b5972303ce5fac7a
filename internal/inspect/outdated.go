package inspect

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Outdated returns the labels of type, zone and region that a Node has and that its machine has other values for, with the
// machine's. The node controller writes them when it initialises the Node and never later.
func Outdated(node *corev1.Node, machine cloud.Instance) map[string]string {
	outdated := map[string]string{}
	for _, label := range labels(machine) {
		if before, has := node.Labels[label.key]; has && label.forced && before != label.value {
			outdated[label.key] = label.value
		}
	}
	return outdated
}
