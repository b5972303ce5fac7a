package inspect

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// remade returns the id of the machine that has the name of a Node whose own machine is missing, and what to do about that: the
// machine was made again, and a provider-ID cannot change. Both are "" where err is another one, or no machine has the name.
func (i *Inspector) remade(ctx context.Context, node *corev1.Node, err error) (now, advice string) {
	if _, missing := errors.AsType[*instance.NotFoundError](err); !missing || node.Spec.ProviderID == "" {
		return "", ""
	}
	was, err := i.inventory.ProviderID(node)
	if err != nil {
		return "", ""
	}
	found, err := i.inventory.ByName(ctx, []*corev1.Node{node})
	machine, named := found[node.Name]
	if err != nil || !named || machine.ID == was {
		return "", ""
	}
	return string(machine.ID), fmt.Sprintf("its provider-ID is that of machine %s, and machine %s has its name now: it was made again, and a provider-ID never changes; "+
		"kubectl delete node %s, then restart its kubelet", was, machine.ID, node.Name)
}
