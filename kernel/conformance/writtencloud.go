package conformance

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// memory is a cloud that keeps one balancer as it is told.
type memory struct {
	cloud.BalancerReader
	id       string
	findings cloud.Findings
	balancer *cloud.Balancer
	made     int
	// was are fields without which no balancer is made, nil for none, and refused those that differed in the last one that was not made.
	was            map[string]string
	refused, wrote []string
}

// Eligible takes every machine.
func (m *memory) Eligible(cloud.Balancer, cloud.Target) string { return "" }

func (m *memory) Observe(_ context.Context, in cloud.Input) (cloud.Observed, error) {
	if m.balancer == nil {
		return cloud.Observed{Findings: m.findings}, nil
	}
	return cloud.Observed{
		Found: true, ID: fmt.Sprintf(m.id, m.made), Owner: in.Owner, State: cloud.BalancerActive, Balancer: m.balancer.Clone(), Findings: m.findings,
		Addresses: []cloud.BalancerAddress{{IP: fmt.Sprintf("198.51.100.%d", m.made)}},
	}, nil
}

func (m *memory) Apply(_ context.Context, change cloud.Change) (cloud.Progress, error) {
	switch {
	case change.After == nil:
		m.balancer, m.wrote = nil, append(m.wrote, fmt.Sprint("delete ", m.made))
	case change.Before.Found:
		m.wrote = append(m.wrote, "update")
	case len(changed(change.After.Fields(), m.was)) > 0:
		m.refused, m.wrote = changed(change.After.Fields(), m.was), append(m.wrote, "refuse")
		return cloud.Progress{}, &cloud.Invalid{Field: "annotation", Want: "another value"}
	default:
		m.made++
		made := change.After.Clone()
		m.balancer, m.wrote = &made, append(m.wrote, fmt.Sprint("create ", m.made))
	}
	return cloud.Progress{}, nil
}

// machines are those of the Nodes: each is the target.
type machines struct{}

// target is the machine of the only Node.
func target() cloud.Target {
	return cloud.Target{InstanceID: "1", NodeName: "node-1", Addresses: []cloud.Address{
		{Type: cloud.AddressInternalIP, Address: "10.0.0.11"}, {Type: cloud.AddressExternalIP, Address: "203.0.113.11"},
	}}
}

func (machines) Lookup(_ context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		found[id] = cloud.Instance{ID: id, Name: target().NodeName, Addresses: target().Addresses}
	}
	return found, nil
}

func (machines) ByName(context.Context, []*corev1.Node) (map[string]cloud.Instance, error) {
	return nil, nil
}

func (machines) Outdate()                                           {}
func (machines) Held() bool                                         { return false }
func (machines) Generation() any                                    { return nil }
func (machines) Addresses(context.Context) (map[string]bool, error) { return nil, nil }
func (machines) ProviderID(*corev1.Node) (cloud.InstanceID, error)  { return target().InstanceID, nil }

// silent records no event.
type silent struct{}

func (silent) Record(event.Object, event.Reason, string) {}
