package instance

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// census counts our Nodes, at most once a second: with thousands of them and a question
// for each, counting for every question would cost more than the answers.
type census struct {
	mu    sync.Mutex
	at    time.Time
	count count
}

type count struct {
	// nodes is how many are ours.
	nodes int
	// watched are those the framework asks for every few seconds and that could be judged
	// gone.
	watched []*corev1.Node
}

func (c *census) take(i *Inventory) count {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.at) < time.Second {
		return c.count
	}
	c.at, c.count = time.Now(), count{}
	for _, node := range i.nodes() {
		if Owner(node, i.concerns) != Mine {
			continue
		}
		c.count.nodes++
		if node.Spec.ProviderID != "" && !ready(node) && !i.protected(node) {
			c.count.watched = append(c.count.watched, node)
		}
	}
	return c.count
}

// protected Nodes are never judged gone: clouds show new machines late, and a Node that
// is not initialised yet has not been matched with a machine by anybody.
func (i *Inventory) protected(node *corev1.Node) bool {
	return time.Since(node.CreationTimestamp.Time) < i.policy.Grace || Uninitialized(node)
}
