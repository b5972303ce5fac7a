package view

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// nodeList is what the lister of a view returns: the same Nodes in the same order for as long as nothing has changed that
// load balancers depend on. A heartbeat of a kubelet changes nothing.
//
//   - The service controller keeps the Nodes of its last look at each Service. If each heartbeat made other objects of
//     them, 50 Services that were looked at in different minutes would keep all Nodes ten times.
//   - It lists all Nodes for each Service, and the kernel tells by the list that the targets of the last Service are
//     those of the next one, see Recent of kernel/loadbalancer/target. To choose 5,000 Nodes anew takes milliseconds.
type nodeList struct {
	mu sync.Mutex
	// known are the Nodes by name, as they were returned.
	known map[string]*corev1.Node
	// changes is how often something has changed, 0 as long as nobody tells of changes: then each list is a new one.
	changes int
	// listed is the list as it was after that many changes.
	listed   []*corev1.Node
	listedAt int

	// version is how often any Node of the cluster has changed, also one that is not listed, 0 as long as nobody tells of changes.
	version atomic.Int64
}

// get returns the Nodes. read reads those of the cluster that are shown.
func (l *nodeList) get(read func() ([]*corev1.Node, error)) ([]*corev1.Node, error) {
	l.mu.Lock()
	listed, at, changes := l.listed, l.listedAt, l.changes
	l.mu.Unlock()
	if listed != nil && at == changes {
		return listed, nil
	}
	nodes, err := read()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(nodes, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reuse(nodes)
	if changes > 0 { // what changes while it is read counts as a change after it
		l.listed, l.listedAt = slices.Clip(nodes), changes
	}
	return nodes, nil
}

// reuse replaces Nodes by the objects that were returned before. The caller holds mu.
func (l *nodeList) reuse(nodes []*corev1.Node) {
	if l.known == nil {
		l.known = make(map[string]*corev1.Node, len(nodes))
	}
	for n, node := range nodes {
		if known := l.known[node.Name]; known != nil && (known == node || alike(known, node)) {
			nodes[n] = known
		} else {
			l.known[node.Name] = node
		}
	}
	if len(l.known) > len(nodes) {
		there := make(map[string]bool, len(nodes))
		for _, node := range nodes {
			there[node.Name] = true
		}
		maps.DeleteFunc(l.known, func(name string, _ *corev1.Node) bool { return !there[name] })
	}
}

// changed makes the next list a new one.
func (l *nodeList) changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	l.listed = nil
}

// before returns a handler that tells the list of changes before the next one hears of them: whoever that one wakes
// finds them in the list.
func (l *nodeList) before(next cache.ResourceEventHandler) cache.ResourceEventHandler {
	l.changed()
	return telling(l.changed, next)
}

// counting returns a handler that counts the changes of all Nodes before the next one hears of them.
func (l *nodeList) counting(next cache.ResourceEventHandler) cache.ResourceEventHandler {
	count := func() { l.version.Add(1) }
	count()
	return telling(count, next)
}

// telling returns a handler that tells of changes that load balancers may depend on before the next one hears of them.
func telling(tell func(), next cache.ResourceEventHandler) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) { tell(); next.OnAdd(obj, initial) },
		UpdateFunc: func(before, after any) {
			old, ok := before.(*corev1.Node)
			if node, ok2 := after.(*corev1.Node); !ok || !ok2 || !alike(old, node) {
				tell()
			}
			next.OnUpdate(before, after)
		},
		DeleteFunc: func(obj any) { tell(); next.OnDelete(obj) },
	}
}

// alike reports whether two versions of a Node are the same to load balancers.
func alike(a, b *corev1.Node) bool {
	return membership(a) == membership(b) && instance.Uninitialized(a) == instance.Uninitialized(b) && slices.Equal(a.Status.Addresses, b.Status.Addresses) &&
		maps.Equal(a.Labels, b.Labels) && maps.Equal(a.Annotations, b.Annotations)
}
