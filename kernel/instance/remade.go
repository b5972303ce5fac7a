package instance

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

// RemadeError says that the machine of a Node was made again: another one has its name now. It says what helps.
type RemadeError struct {
	Node string
	// Was is the machine of the Node's provider-ID, Now the one that has its name.
	Was, Now cloud.InstanceID
}

func (e *RemadeError) Error() string {
	return fmt.Sprintf("its provider-ID is that of machine %s, and machine %s has its name now: it was made again, and a provider-ID never changes; "+
		"kubectl delete node %s, then restart its kubelet", e.Was, e.Now, e.Node)
}

// Remade returns what is to be said of a Node whose own machine the cloud does not have, nil unless exactly one other machine has
// its name. It may ask the cloud.
func (i *Inventory) Remade(ctx context.Context, node *corev1.Node) *RemadeError {
	was, err := i.ProviderID(node)
	if err != nil {
		return nil
	}
	found, err := i.ByName(ctx, []*corev1.Node{node})
	machine, named := found[node.Name]
	if err != nil || !named || machine.ID == was {
		return nil
	}
	return &RemadeError{Node: node.Name, Was: was, Now: machine.ID}
}

// remade is Remade by what is known: nobody is asked.
func (s *state) remade(node *corev1.Node) *RemadeError {
	was, err := s.nodes.id(node)
	if err != nil {
		return nil
	}
	others := slices.DeleteFunc(s.cache.Named(node.Name), func(r *cache.Record) bool { return r.ID == was })
	if len(others) != 1 {
		return nil
	}
	return &RemadeError{Node: node.Name, Was: was, Now: others[0].ID}
}
