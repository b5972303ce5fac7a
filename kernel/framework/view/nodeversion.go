package view

import (
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// nodeVersions return the same object for a Node as long as nothing has changed that load balancers depend on. The
// service controller keeps the Nodes of its last look at each Service. With every heartbeat of a kubelet these would
// be other objects, and 50 Services that were looked at in different minutes would keep all Nodes ten times.
type nodeVersions struct {
	mu    sync.Mutex
	known map[string]nodeVersion
}

// nodeVersion is a Node: the object that is returned, and the newest one that is like it.
type nodeVersion struct{ first, latest *corev1.Node }

// settle replaces Nodes by the objects that were returned before.
func (v *nodeVersions) settle(nodes []*corev1.Node) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = make(map[string]nodeVersion, len(nodes))
	}
	for n, node := range nodes {
		version := v.known[node.Name]
		if version.latest != node {
			if version.first == nil || !alike(version.first, node) {
				version.first = node
			}
			version.latest = node
			v.known[node.Name] = version
		}
		nodes[n] = version.first
	}
	if len(v.known) > len(nodes) {
		there := make(map[string]bool, len(nodes))
		for _, node := range nodes {
			there[node.Name] = true
		}
		maps.DeleteFunc(v.known, func(name string, _ nodeVersion) bool { return !there[name] })
	}
}

// alike reports whether two versions of a Node are the same to load balancers.
func alike(a, b *corev1.Node) bool {
	return membership(a) == membership(b) && Uninitialized(a) == Uninitialized(b) && slices.Equal(a.Status.Addresses, b.Status.Addresses) &&
		maps.Equal(a.Labels, b.Labels) && maps.Equal(a.Annotations, b.Annotations)
}
