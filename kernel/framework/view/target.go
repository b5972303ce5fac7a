package view

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// targetEvents tell the service controller about Nodes. Upstream's own handler queues each
// Node, and for each Node compares all Nodes with those of all Services: one trigger after
// a burst does the same work once. Upstream compares names and provider-IDs only, so what
// else can change a balancer's targets makes the Services be ensured again.
//
//	Node                                       effect after the window
//	added, deleted, being deleted              trigger
//	provider-ID, exclusion label, deletion
//	taint of the cluster autoscaler            trigger
//	addresses it already had                   ensure all
//	labels                                     ensure those that select nodes
//	anything else (heartbeats, cordon, …)      none
type targetEvents struct {
	membership Burst
	addresses  Burst
	labels     Burst
}

// newTargetEvents returns the handler in front of upstream's. ensureAll and ensureSelecting
// queue Services.
func newTargetEvents(window time.Duration, next cache.ResourceEventHandler, ensureAll, ensureSelecting func()) *targetEvents {
	return &targetEvents{
		membership: Burst{Window: window, Fire: func() { next.OnAdd(anyNode, false) }},
		addresses:  Burst{Window: window, Fire: ensureAll},
		labels:     Burst{Window: window, Fire: ensureSelecting},
	}
}

// anyNode is the trigger: an addition is queued whatever the Node, and only its name.
var anyNode = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "any"}}

var _ cache.ResourceEventHandler = (*targetEvents)(nil)

func (t *targetEvents) OnAdd(any, bool) { t.membership.Note() }

func (t *targetEvents) OnDelete(any) { t.membership.Note() }

func (t *targetEvents) OnUpdate(before, after any) {
	old, ok := before.(*corev1.Node)
	node, ok2 := after.(*corev1.Node)
	switch {
	case !ok || !ok2:
	case membership(old) != membership(node):
		t.membership.Note()
	default:
		if had := ips(old); len(had) > 0 && !slices.Equal(had, ips(node)) {
			t.addresses.Note()
		}
		if !maps.Equal(old.Labels, node.Labels) {
			t.labels.Note()
		}
	}
}

// ips returns the IP addresses of a Node, sorted.
func ips(node *corev1.Node) []string {
	var found []string
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP || a.Type == corev1.NodeExternalIP {
			found = append(found, string(a.Type)+" "+a.Address)
		}
	}
	slices.SortFunc(found, strings.Compare)
	return found
}

// Burst joins what happens within a window into one call, at the window's end. What
// happens during the call opens the next window, so nothing is lost.
type Burst struct {
	Window time.Duration
	Fire   func()

	mu   sync.Mutex
	open bool
}

// Note says that something happened.
func (b *Burst) Note() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		return
	}
	b.open = true
	time.AfterFunc(b.Window, b.end)
}

func (b *Burst) end() {
	b.mu.Lock()
	b.open = false
	b.mu.Unlock()
	b.Fire()
}
