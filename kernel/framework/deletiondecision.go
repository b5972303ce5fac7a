package framework

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// decisionTTL is how long a decision may be executed. The lifecycle controller does so at
// once, or asks again.
const decisionTTL = time.Minute

// deletionDecisions remember which Nodes were just said to be gone, by name. The lifecycle
// controller deletes by name only, and by then the name may be another Node's.
type deletionDecisions struct {
	mu    sync.Mutex
	known map[string]deletionDecision
}

type deletionDecision struct {
	uid types.UID
	at  time.Time
}

func newDeletionDecisions() *deletionDecisions {
	return &deletionDecisions{known: map[string]deletionDecision{}}
}

func (v *deletionDecisions) add(node *corev1.Node) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known[node.Name] = deletionDecision{uid: node.UID, at: time.Now()}
}

// take returns the UID of the Node that was said to be gone, once.
func (v *deletionDecisions) take(name string) (types.UID, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	found, ok := v.known[name]
	delete(v.known, name)
	return found.uid, ok && time.Since(found.at) < decisionTTL
}
