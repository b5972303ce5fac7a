package instance

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// A machine is often replaced by another one of the same name, and a provider-ID can never be
// changed. So a machine that was another Node's before is believed to be that of a new Node
// only after a direct read by name, and not for what a list said before the Node was there.

// another reports whether the machine was last known to be another Node's.
func (i *Inventory) another(r *record, node *corev1.Node) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	holder, known := i.holders[r.ID]
	return known && holder != node.UID
}

// hand remembers that the machine is the Node's.
func (i *Inventory) hand(id cloud.InstanceID, node *corev1.Node) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.holders[id] = node.UID
}

// follow brings the holders of the machines in a list up to date and forgets all others.
func (i *Inventory) follow(s *snapshot) {
	holders := make(map[cloud.InstanceID]types.UID, len(s.byID))
	for _, node := range i.nodes() {
		if id, err := i.ProviderID(node); err == nil {
			holders[id] = node.UID
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for id, holder := range i.holders {
		if _, now := holders[id]; !now && s.byID[id] != nil {
			holders[id] = holder
		}
	}
	i.holders = holders
}
