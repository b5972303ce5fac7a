package doctor

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// outdated finds initialised Nodes whose machine was resized or moved, with the command that gives them its labels. Of each label
// that has two names the command sets those that the Node has: the node controller copies the old name's value to the new one.
func outdated(f *facts, node *corev1.Node) string {
	machine, known := f.sky.of[node.Name]
	if !known || f.owner(node) != instance.Mine || instance.Uninitialized(node) {
		return ""
	}
	values := inspect.Outdated(f.Cloud, node, machine)
	if len(values) == 0 {
		return ""
	}
	return inspect.Differences(node, values) + ": " + inspect.LabelCommand(node.Name, values)
}
