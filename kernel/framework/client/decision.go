package client

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
)

// decisionTTL is how long a decision may be executed. The lifecycle controller does so at
// once, or asks again.
const decisionTTL = time.Minute

// Decisions remember which Nodes were just said to be gone, by name. The lifecycle
// controller deletes by name only, and by then the name may be another Node's.
type Decisions struct{ uids *cache.Expiring }

// NewDecisions returns none.
func NewDecisions() *Decisions { return &Decisions{uids: cache.NewExpiring()} }

// Add remembers that the machine of the Node is gone.
func (d *Decisions) Add(node *corev1.Node) { d.uids.Set(node.Name, node.UID, decisionTTL) }

// Take returns the UID of the Node that was said to be gone, once. The lifecycle controller asks once at a time for a name.
func (d *Decisions) Take(name string) (types.UID, bool) {
	uid, ok := d.uids.Get(name)
	if !ok {
		return "", false
	}
	d.uids.Delete(name)
	return uid.(types.UID), true
}
