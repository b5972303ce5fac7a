package target

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// counted are machines that count how often they are looked up.
type counted struct {
	Machines
	mu         sync.Mutex
	lookups    int
	generation int
	lacks      cloud.InstanceID
	err        error
}

func (*counted) Outdate() {}

func (*counted) Held() bool { return false }

func (m *counted) Lookup(_ context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	m.mu.Lock()
	m.lookups++
	m.mu.Unlock()
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		if id != m.lacks {
			found[id] = cloud.Instance{ID: id}
		}
	}
	return found, m.err
}

func (m *counted) Generation() any { return m.generation }

func (m *counted) ProviderID(node *corev1.Node) (cloud.InstanceID, error) {
	return cloud.InstanceID(node.Spec.ProviderID), nil
}

func TestCandidatesAreComputedOnceForAPass(t *testing.T) {
	pool, other := labels.SelectorFromSet(labels.Set{"pool": "a"}), labels.Everything()
	tests := []struct {
		name   string
		change func(m *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector)
		again  bool
	}{
		{"nothing", func(_ *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector) { return nodes, pool }, false},
		{"another list of the same Nodes", func(_ *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector) {
			return slices.Clone(nodes), pool
		}, false},
		{"order", func(_ *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector) {
			return []*corev1.Node{nodes[1], nodes[0]}, pool
		}, true},
		{"selector", func(_ *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector) { return nodes, other }, true},
		{"labels", func(_ *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector) {
			unlabelled := nodes[0].DeepCopy()
			unlabelled.Labels = nil
			return []*corev1.Node{unlabelled, nodes[1]}, pool
		}, true},
		{"machine", func(_ *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector) {
			replaced := nodes[0].DeepCopy()
			replaced.Spec.ProviderID = "new"
			return []*corev1.Node{replaced, nodes[1]}, pool
		}, true},
		{"node", func(_ *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector) { return nodes[:1], pool }, true},
		{"list of machines", func(m *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector) {
			m.generation++
			return nodes, pool
		}, true},
		{"time", func(_ *counted, nodes []*corev1.Node) ([]*corev1.Node, labels.Selector) {
			time.Sleep(recentAge)
			return nodes, pool
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, nodes := &counted{}, selectable()
				s := Nodes{Machines: m, Concerns: func(string) bool { return true }, Recent: &Recent{}}
				s.Candidates(t.Context(), nodes, pool)
				nodes, selector := tt.change(m, nodes)
				s.Candidates(t.Context(), nodes, selector)
				if again := m.lookups == 2; again != tt.again {
					t.Errorf("%d lookups, computed again: %t, want %t", m.lookups, again, tt.again)
				}
				time.Sleep(recentAge)
				synctest.Wait()
				if s.Recent.known != nil {
					t.Error("candidates are kept after the pass")
				}
			})
		})
	}
}

// What only Nodes tell of machines is part of what is known of them.
func TestDescribedMachinesAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, nodes := &counted{}, selectable()
		nodes[0].Spec.ProviderID = string(cloud.DescribedInstance("a"))
		s := Nodes{Machines: m, Concerns: func(string) bool { return true }, Recent: &Recent{}}
		for range 3 {
			s.Candidates(t.Context(), nodes, labels.Everything())
		}
		if m.lookups != 1 {
			t.Errorf("%d lookups", m.lookups)
		}
		time.Sleep(recentAge)
	})
}

func TestDoubtIsNotRemembered(t *testing.T) {
	for name, m := range map[string]*counted{"machine that is not found": {lacks: "1"}, "error": {err: errors.New("broken")}} {
		s := Nodes{Machines: m, Concerns: func(string) bool { return true }, Recent: &Recent{}}
		for range 2 {
			s.Candidates(t.Context(), selectable(), labels.Everything())
		}
		if m.lookups != 2 {
			t.Errorf("%s: %d lookups, want 2", name, m.lookups)
		}
	}
}

func selectable() []*corev1.Node {
	var nodes []*corev1.Node
	for _, name := range []string{"1", "2"} {
		nodes = append(nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"pool": "a"}}, Spec: corev1.NodeSpec{ProviderID: name},
		})
	}
	return nodes
}

// slow are machines that take a second to be looked up.
type slow struct{ counted }

func (m *slow) Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found, err := m.counted.Lookup(ctx, ids)
	time.Sleep(time.Second)
	return found, err
}

// Services that are looked at in the same moment wait for one of them. Where its candidates are not certain each has its own,
// and none waits for more than one.
func TestCandidatesAreComputedOnceAtATime(t *testing.T) {
	const services = 50
	for err, want := range map[error]int{nil: 1, errors.New("unavailable"): services} {
		synctest.Test(t, func(t *testing.T) {
			m, nodes, began := &slow{counted: counted{err: err}}, selectable(), time.Now()
			s := Nodes{Machines: m, Concerns: func(string) bool { return true }, Recent: &Recent{}}
			var looks sync.WaitGroup
			for range services {
				looks.Go(func() {
					if c := s.Candidates(t.Context(), nodes, labels.Everything()); len(c.Targets) != len(nodes) {
						t.Errorf("%d of %d targets", len(c.Targets), len(nodes))
					}
				})
			}
			looks.Wait()
			if took := time.Since(began); m.lookups != want || took > 2*time.Second {
				t.Errorf("%v: %d lookups in %v, want %d", err, m.lookups, took, want)
			}
			time.Sleep(recentAge)
		})
	}
}
