package loadbalancer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// fakeMachines has a machine for every node of the fake cloud, but those that are missing.
type fakeMachines struct {
	missing map[cloud.InstanceID]bool
	// unread machines are left out of the answer, together with an error.
	unread map[cloud.InstanceID]bool
	// doubtful machines are left out too, because the newest list of machines, which is held, lacks them.
	doubtful map[cloud.InstanceID]bool
	// outdated counts how often the machines were said to be others than before.
	outdated int
	bare     map[cloud.InstanceID]bool // without address
	// named are machines found by a node's name; nameless fails to find any.
	named    map[string]cloud.Instance
	nameless error
	// addresses are what machines of the list have; nil fails.
	addresses map[string]bool
}

func (m *fakeMachines) ByName(_ context.Context, nodes []*corev1.Node) (map[string]cloud.Instance, error) {
	found := map[string]cloud.Instance{}
	for _, node := range nodes {
		if machine, ok := m.named[node.Name]; ok && m.nameless == nil {
			found[node.Name] = machine
		}
	}
	return found, m.nameless
}

func (m *fakeMachines) Generation() any { return nil }

func (m *fakeMachines) Addresses(context.Context) (map[string]bool, error) {
	if m.addresses == nil {
		return nil, errBroken
	}
	return m.addresses, nil
}

func (m *fakeMachines) ProviderID(node *corev1.Node) (cloud.InstanceID, error) {
	id, ok := strings.CutPrefix(node.Spec.ProviderID, "fake://")
	if !ok || id == "" {
		return "", fmt.Errorf("node %s has provider-ID %q", node.Name, node.Spec.ProviderID)
	}
	return cloud.InstanceID(id), nil
}

func (m *fakeMachines) Outdate() { m.outdated++ }

func (m *fakeMachines) Held() bool { return len(m.doubtful) > 0 }

func (m *fakeMachines) Lookup(_ context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		instance := cloud.Instance{ID: id, Name: string(id)}
		if !m.bare[id] {
			instance.Addresses = []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}}
		}
		if !m.missing[id] && !m.unread[id] && !m.doubtful[id] {
			found[id] = instance
		}
	}
	if len(m.unread) > 0 {
		return found, errBroken
	}
	if len(m.doubtful) > 0 {
		return found, &instance.UnreadError{IDs: slices.Sorted(maps.Keys(m.doubtful)), Err: errBroken}
	}
	return found, nil
}

// fakeEvents keeps events as "Reason: message", those of other Services than the test's with their
// name before that.
type fakeEvents struct {
	mu   sync.Mutex
	said []string
}

func (e *fakeEvents) Record(object event.Object, reason event.Reason, message string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if object.Kind != reason.On {
		panic("event " + reason.Name + " on " + object.Kind)
	}
	text := reason.Name + ": " + message
	if object.UID == victimUID {
		text = object.Namespace + "/" + object.Name + " " + text
	}
	e.said = append(e.said, text)
}

// take returns the events since the last call.
func (e *fakeEvents) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	said := e.said
	e.said = nil
	return said
}

var (
	_ target.Machines = (*fakeMachines)(nil)
	_ event.Recorder  = (*fakeEvents)(nil)
)
