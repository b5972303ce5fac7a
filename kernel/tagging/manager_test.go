package tagging

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

const label = "test/tagged"

// world is a cloud with tags and the cluster beside it.
type world struct {
	mu       sync.Mutex
	machines map[cloud.InstanceID]map[string]string
	nodes    map[string]*corev1.Node
	down     error
	calls    []string
	plans    int
}

func newWorld(n int) *world {
	w := &world{machines: map[cloud.InstanceID]map[string]string{}, nodes: map[string]*corev1.Node{}}
	for k := range n {
		id := cloud.InstanceID(fmt.Sprintf("m-%04d", k))
		w.machines[id] = map[string]string{}
		w.join(id)
	}
	return w
}

func (w *world) join(id cloud.InstanceID) *corev1.Node {
	name := "node-of-" + string(id)
	w.nodes[name] = &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.Now()}, Spec: corev1.NodeSpec{ProviderID: "test://" + string(id)},
	}
	return w.nodes[name]
}

func (w *world) TagLabel() string { return label }

func (w *world) TagResources() []string { return []string{"machine", "disk"} }

func (w *world) Taggable(id cloud.InstanceID) bool { return !strings.HasPrefix(string(id), "none-") }

func (w *world) Tag(_ context.Context, ids []cloud.InstanceID, resources []string, tags map[string]string) (missing []cloud.InstanceID, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, fmt.Sprintf("tag %d %v", len(ids), resources))
	if w.down != nil {
		return nil, w.down
	}
	for _, id := range ids {
		if w.machines[id] == nil {
			missing = append(missing, id)
			continue
		}
		maps.Copy(w.machines[id], tags)
	}
	return missing, nil
}

func (w *world) Untag(_ context.Context, ids []cloud.InstanceID, _ []string, tags map[string]string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, fmt.Sprintf("untag %d", len(ids)))
	if w.down != nil {
		return w.down
	}
	for _, id := range ids {
		maps.DeleteFunc(w.machines[id], func(key, value string) bool { return tags[key] == value })
	}
	return nil
}

func (w *world) ProviderID(node *corev1.Node) (cloud.InstanceID, error) {
	id, ok := strings.CutPrefix(node.Spec.ProviderID, "test://")
	if !ok {
		return "", errors.New("not ours")
	}
	return cloud.InstanceID(id), nil
}

func (w *world) setLabel(_ context.Context, node *corev1.Node, key, value string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	labelled := node.DeepCopy()
	labelled.Labels = map[string]string{key: value}
	w.nodes[node.Name] = labelled
	return nil
}

func (w *world) manager(mode run.Mode, change ...func(*Settings)) *Manager {
	settings := Settings{Tags: map[string]string{"team": "shop", "env": "prod"}, Resources: []string{"machine"}, Workers: 4}
	for _, c := range change {
		c(&settings)
	}
	c := &run.Cloud{Name: "test", Tagger: w}
	return New(Options{
		Cloud: c, Machines: w, Nodes: func() []*corev1.Node { return slices.Collect(maps.Values(w.nodes)) }, Label: w.setLabel,
		Executor: run.NewExecutor(c, mode, nil, func(plan.Plan) { w.plans++ }), Settings: settings,
	})
}

func (w *world) pass(t *testing.T, m *Manager, want ...string) {
	t.Helper()
	w.calls = nil
	if err := m.Reconcile(t.Context()); err != nil {
		t.Errorf("Reconcile: %v", err)
	}
	if difference := cmp.Diff(want, w.calls); difference != "" {
		t.Errorf("calls (-want +got):\n%s", difference)
	}
}

func (w *world) labelled() (n int) {
	for _, node := range w.nodes {
		if node.Labels[label] != "" {
			n++
		}
	}
	return n
}

func TestTagsInBatches(t *testing.T) {
	w := newWorld(1200)
	w.join("none-1")
	w.nodes["foreign"] = &corev1.Node{Spec: corev1.NodeSpec{ProviderID: "other://1"}}
	m := w.manager(run.Live)
	w.pass(t, m, "tag 500 [machine]", "tag 500 [machine]", "tag 200 [machine]")
	if w.labelled() != 1200 || w.machines["m-0007"]["team"] != "shop" {
		t.Errorf("%d nodes are labelled, machine 7 has %v", w.labelled(), w.machines["m-0007"])
	}
	w.pass(t, m) // nothing to do
	w.machines["m-new"] = map[string]string{}
	w.join("m-new")
	w.pass(t, m, "tag 1 [machine]")
	// Other tags: all again.
	w.pass(t, w.manager(run.Live, func(s *Settings) { s.Tags["env"] = "test" }), "tag 500 [machine]", "tag 500 [machine]", "tag 201 [machine]")
}

// The label of a Node that upstream's controller has tagged.
func TestChecksumIsUpstreams(t *testing.T) {
	// printf 'key1=value1,key2=value2' | md5sum
	if got, want := checksum(map[string]string{"key2": "value2", "key1": "value1"}), "c812faa65d1d5e5aefa6b069b3da39df"; got != want {
		t.Errorf("checksum = %s, want %s", got, want)
	}
}

func TestUntagsWhatANodeLeaves(t *testing.T) {
	w := newWorld(3)
	m := w.manager(run.Live)
	w.pass(t, m, "tag 3 [machine]")
	w.machines["m-0000"]["env"] = "mine now" // a user's change
	for _, name := range []string{"node-of-m-0000", "node-of-m-0001"} {
		m.Deleted(w.nodes[name])
		delete(w.nodes, name)
	}
	w.join("m-0001")            // registers again
	m.Deleted(w.join("m-0002")) // never had the label
	delete(w.nodes["node-of-m-0002"].Labels, label)
	w.pass(t, m, "untag 1", "tag 2 [machine]")
	if difference := cmp.Diff(map[string]string{"env": "mine now"}, w.machines["m-0000"]); difference != "" {
		t.Errorf("tags of machine 0 (-want +got):\n%s", difference)
	}
	w.pass(t, m)
}

func TestFailuresAreRetried(t *testing.T) {
	w := newWorld(2)
	m := w.manager(run.Live)
	w.down = errors.New("throttled")
	if err := m.Reconcile(t.Context()); err == nil || w.labelled() > 0 {
		t.Errorf("Reconcile = %v, %d labelled", err, w.labelled())
	}
	w.down = nil
	w.pass(t, m, "tag 2 [machine]")
	m.Deleted(w.nodes["node-of-m-0000"])
	delete(w.nodes, "node-of-m-0000")
	w.down = errors.New("throttled")
	for range attempts {
		if err := m.Reconcile(t.Context()); err == nil {
			t.Error("an untag that fails is no success")
		}
	}
	w.pass(t, m) // given up
}

// A machine that is not known yet does not keep the others from being tagged.
func TestMissingMachines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(3)
		delete(w.machines, "m-0001")
		m := w.manager(run.Live)
		if err := m.Reconcile(t.Context()); err == nil || w.labelled() != 2 {
			t.Errorf("Reconcile = %v, %d labelled; want an error and 2", err, w.labelled())
		}
		time.Sleep(young)
		w.pass(t, m, "tag 1 [machine]") // asked for, not waited for
		w.machines["m-0001"] = map[string]string{}
		w.pass(t, m, "tag 1 [machine]")
		w.pass(t, m)
	})
}

func TestDryRun(t *testing.T) {
	w := newWorld(2)
	w.pass(t, w.manager(run.DryRun))
	if w.plans != 1 || w.labelled() != 0 {
		t.Errorf("%d plans, %d labelled; want one and none", w.plans, w.labelled())
	}
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(100)
		start := time.Now()
		w.pass(t, w.manager(run.Live, func(s *Settings) { s.Rate, s.Burst = 2, 50 }), "tag 50 [machine]", "tag 50 [machine]")
		if took := time.Since(start); took != 25*time.Second {
			t.Errorf("100 machines at 2 a second after a burst of 50 took %s", took)
		}
	})
}

func TestConcerns(t *testing.T) {
	m := newWorld(0).manager(run.Live)
	node := func(id, sum string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{label: sum}}, Spec: corev1.NodeSpec{ProviderID: id}}
	}
	for _, c := range []struct {
		before, after *corev1.Node
		want          bool
	}{
		{node("", ""), node("test://1", ""), true},
		{node("test://1", ""), node("test://1", ""), false},
		{node("test://1", ""), node("test://1", m.sum), false}, // our own write
		{node("test://1", m.sum), node("test://1", "other"), true},
		{node("test://1", m.sum), node("test://1", ""), true},
	} {
		if got := m.Concerns(c.before, c.after); got != c.want {
			t.Errorf("%s %q to %s %q = %t", c.before.Spec.ProviderID, c.before.Labels[label], c.after.Spec.ProviderID, c.after.Labels[label], got)
		}
	}
}

func TestProblem(t *testing.T) {
	good := Settings{Tags: map[string]string{"a": "b"}, Resources: []string{"machine", "disk"}, Workers: 1}
	w := newWorld(0)
	if err := good.Problem("test", w); err != nil {
		t.Error(err)
	}
	if err := good.Problem("test", nil); err == nil {
		t.Error("a cloud without tags is a problem")
	}
	for want, spoil := range map[string]func(*Settings){
		"--tags":      func(s *Settings) { s.Tags = nil },
		"--resources": func(s *Settings) { s.Resources = nil },
		"=car":        func(s *Settings) { s.Resources = []string{"car"} },
		"node-syncs":  func(s *Settings) { s.Workers = 0 },
		"rate-limit":  func(s *Settings) { s.Rate = -1 },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Problem("test", w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
