package client

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// decisionTTL is how long a decision may be executed. The lifecycle controller does so at
// once, or asks again.
const decisionTTL = time.Minute

// Decisions remember which Nodes were just said to be gone, by name. The lifecycle
// controller deletes by name only, and by then the name may be another Node's.
type Decisions struct {
	mu    sync.Mutex
	known map[string]decision
}

type decision struct {
	uid types.UID
	at  time.Time
}

// NewDecisions returns none.
func NewDecisions() *Decisions {
	return &Decisions{known: map[string]decision{}}
}

// Add remembers that the machine of the Node is gone.
func (d *Decisions) Add(node *corev1.Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known[node.Name] = decision{uid: node.UID, at: time.Now()}
}

// Take returns the UID of the Node that was said to be gone, once.
func (d *Decisions) Take(name string) (types.UID, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.known[name]
	delete(d.known, name)
	return found.uid, ok && time.Since(found.at) < decisionTTL
}
