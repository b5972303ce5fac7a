package framework

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/client"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
)

const uninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized"

func instancesOf(f *fakeInventory) *instances {
	return &instances{inventory: f, calls: drain.New(), decisions: client.NewDecisions()}
}

func TestMetadata(t *testing.T) {
	whole := cloud.Instance{
		ID: "1", ProviderID: "sim://1", Type: "big", Zone: "a1", Region: "a",
		Labels:    map[string]string{"rack": "7"},
		Addresses: []cloud.Address{{Type: "InternalIP", Address: "10.0.0.1"}, {Type: "InternalIP", Address: "fd00::1"}, {Type: "InternalIP", Address: "10.0.0.1"}},
	}
	without := func(change func(*cloud.Instance)) cloud.Instance {
		machine := whole
		change(&machine)
		return machine
	}
	fresh, known := node("n", "", withTaint(uninitializedTaint)), node("n", "sim://1")
	tests := []struct {
		name     string
		node     *corev1.Node
		f        fakeInventory
		priority cloud.Priority
		fails    bool
	}{
		{"new node", fresh, fakeInventory{machine: whole}, cloud.PriorityNodeInit, false},
		{"refresh", known, fakeInventory{machine: whole}, cloud.PriorityRefresh, false},
		{"failure", known, fakeInventory{machine: whole, err: errors.New("no")}, cloud.PriorityRefresh, true},
		{"panic", known, fakeInventory{panics: true}, cloud.PriorityRefresh, true},
		{"zero machine", known, fakeInventory{}, cloud.PriorityRefresh, true},
		{"new node without address", fresh, fakeInventory{machine: without(func(m *cloud.Instance) { m.Addresses = nil })}, cloud.PriorityNodeInit, true},
		{"refresh without address", known, fakeInventory{machine: without(func(m *cloud.Instance) { m.Addresses = nil })}, cloud.PriorityRefresh, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := instancesOf(&tt.f).InstanceMetadata(context.Background(), tt.node)
			if (err != nil) != tt.fails {
				t.Fatalf("error %v, want one: %v", err, tt.fails)
			}
			if (got == nil) != tt.fails {
				t.Errorf("metadata %v together with error %v", got, err)
			}
			if tt.f.priority != tt.priority {
				t.Errorf("priority %v, want %v", tt.f.priority, tt.priority)
			}
		})
	}
	got, _ := instancesOf(&fakeInventory{machine: whole}).InstanceMetadata(context.Background(), known)
	want := &cloudprovider.InstanceMetadata{
		ProviderID: "sim://1", InstanceType: "big", Zone: "a1", Region: "a",
		AdditionalLabels: map[string]string{"rack": "7"},
		NodeAddresses:    []corev1.NodeAddress{{Type: "InternalIP", Address: "10.0.0.1"}, {Type: "InternalIP", Address: "fd00::1"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

// saidEvents are events.
type saidEvents struct{ log }

func (s *saidEvents) Record(_ event.Object, reason event.Reason, message string) {
	s.Add(reason.Name + " " + message)
}

// A --node-ip that the machine does not have is said: of a new Node each time, of one that runs once for each thing to say.
func TestNodeIPUnknown(t *testing.T) {
	given := func(ip string, change ...func(*corev1.Node)) *corev1.Node {
		n := node("n", "sim://1", change...)
		if ip != "" {
			n.Annotations = map[string]string{cloudproviderapi.AnnotationAlphaProvidedIPAddr: ip}
		}
		return n
	}
	has := func(ips ...string) cloud.Instance {
		machine := cloud.Instance{ID: "1", ProviderID: "sim://1"}
		for _, ip := range ips {
			machine.Addresses = append(machine.Addresses, cloud.Address{Type: cloud.AddressInternalIP, Address: ip})
		}
		return machine
	}
	fresh := withTaint(uninitializedTaint)
	said, f := &saidEvents{}, &fakeInventory{}
	i := instancesOf(f)
	i.events = said
	for _, step := range []struct {
		name    string
		node    *corev1.Node
		machine cloud.Instance
		events  int
	}{
		{"a new Node", given("10.0.0.9", fresh), has("10.0.0.5"), 1},
		{"again", given("10.0.0.9", fresh), has("10.0.0.5"), 1},
		{"a Node that runs", given("10.0.0.8"), has("10.0.0.5"), 1},
		{"again", given("10.0.0.8"), has("10.0.0.5"), 0},
		{"the machine has another address", given("10.0.0.8"), has("10.0.0.6"), 1},
		{"mended", given("10.0.0.6"), has("10.0.0.6"), 0},
		{"and wrong again", given("10.0.0.8"), has("10.0.0.6"), 1},
		{"the machine has none", given("10.0.0.8"), has(), 0},
		{"left out", given(""), has("10.0.0.6"), 0},
		{"no address", given("here"), has("10.0.0.6"), 1},
		{"one of two", given("10.0.0.6,fd00::1"), has("10.0.0.6"), 1},
		{"two", given("10.0.0.6,fd00::1"), has("10.0.0.6", "fd00::1"), 0},
	} {
		f.machine = step.machine
		if _, err := i.InstanceMetadata(t.Context(), step.node); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if got := said.Take(); len(got) != step.events || step.events > 0 && !strings.Contains(got[0], "NodeIPUnknown") {
			t.Errorf("%s: %d events, want %d: %v", step.name, len(got), step.events, got)
		}
	}
}

func TestExists(t *testing.T) {
	tests := []struct {
		name    string
		f       fakeInventory
		keep    bool
		exists  bool
		fails   bool
		verdict bool
	}{
		{"present", fakeInventory{exists: true}, false, true, false, false},
		{"gone", fakeInventory{}, false, false, false, true},
		{"doubt", fakeInventory{err: errors.New("who knows")}, false, true, true, false},
		{"panic", fakeInventory{panics: true}, false, true, true, false},
		{"nodes are kept", fakeInventory{}, true, true, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i := instancesOf(&tt.f)
			i.keepNodes = tt.keep
			n := node("n", "sim://1")
			exists, err := i.InstanceExists(context.Background(), n)
			if exists != tt.exists || (err != nil) != tt.fails {
				t.Errorf("got %v, %v", exists, err)
			}
			uid, verdict := i.decisions.Take("n")
			if verdict != tt.verdict || verdict && uid != n.UID {
				t.Errorf("verdict %v on %q, want %v", verdict, uid, tt.verdict)
			}
			if !tt.keep && tt.f.priority != cloud.PriorityExistence {
				t.Errorf("priority %v", tt.f.priority)
			}
		})
	}
}

// What the lifecycle controller would do something about is not settled.
func TestSettled(t *testing.T) {
	off := withTaint(cloudproviderapi.TaintNodeShutdown)
	for _, test := range []struct {
		name    string
		node    *corev1.Node
		running bool
		want    bool
	}{
		{"Ready", node("n", "sim://1", withReady(corev1.ConditionTrue)), false, true},
		{"not Ready, its machine runs", node("n", "sim://1", withReady(corev1.ConditionFalse)), true, true},
		{"not Ready, nobody knows", node("n", "sim://1", withReady(corev1.ConditionUnknown)), false, false},
		{"nobody knows which machine it is", node("n", "", withReady(corev1.ConditionUnknown)), false, true},
		{"without a condition", node("n", "sim://1"), false, false},
		{"Ready again, still tainted", node("n", "sim://1", withReady(corev1.ConditionTrue), off), true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := instancesOf(&fakeInventory{running: test.running}).needsNothing(test.node); got != test.want {
				t.Errorf("settled: %t", got)
			}
		})
	}
}
