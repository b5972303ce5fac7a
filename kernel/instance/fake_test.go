package instance

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

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// world is a cloud in memory whose answers a test scripts, and the cluster beside it. The
// hooks may be nil; they run without the lock.
type world struct {
	limits  cloud.Limits
	latency time.Duration

	mu       sync.Mutex
	machines map[cloud.InstanceID]cloud.Instance
	account  string
	nodes    map[string]*corev1.Node
	// requests counts what the calls cost; calls counts them by kind.
	requests int
	calls    map[string]int
	notFound map[cloud.InstanceID][]time.Time
	events   []string
	counts   map[string]int
	deleted  []string

	onList   func(context.Context, *cloud.InstanceList) error
	onGet    func(context.Context, cloud.InstanceID) error
	onDenied func(cloud.InstanceID, time.Time)
	// hide makes single reads answer "not found" for a machine that exists.
	hide func(cloud.InstanceID) bool
}

var (
	_ cloud.Account   = (*world)(nil)
	_ cloud.Instances = (*world)(nil)
)

var errDown = &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Op: "test", Err: errors.New("503")}

// simulate runs a test with simulated time, beside others, and lets what it left behind come to
// an end.
func simulate(t *testing.T, f func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f(t)
		time.Sleep(2 * cloud.CallTimeout)
	})
}

func newWorld(limits cloud.Limits) *world {
	return &world{
		limits: limits, account: "team-1", latency: 30 * time.Millisecond,
		machines: map[cloud.InstanceID]cloud.Instance{}, nodes: map[string]*corev1.Node{},
		calls: map[string]int{}, notFound: map[cloud.InstanceID][]time.Time{}, counts: map[string]int{},
	}
}

// digitalOcean and hetzner are published limits; so is aws's lack of them.
var (
	digitalOcean = cloud.Limits{PageSize: 200, GetBatch: 1, RequestsPerHour: 5000, RequestsPerMinute: 250}
	hetzner      = cloud.Limits{PageSize: 50, GetBatch: 1, RequestsPerHour: 3600}
	aws          = cloud.Limits{PageSize: 1000, GetBatch: 100}
)

func (w *world) inventory(brake *safety.Brake) *Inventory { return w.inventoryOf(w, brake) }

// inventoryOf is inventory of a driver that does more than the world.
func (w *world) inventoryOf(driver cloud.Account, brake *safety.Brake) *Inventory {
	descriptor := cloud.Descriptor{Name: "test", ProviderIDSchemes: []string{"test"}, Limits: w.limits}
	return New(Options{
		Cloud: run.Decorate(cloudtest.Driver(driver), run.Options{Descriptor: descriptor}),
		Nodes: w.listNodes, Brake: brake, Events: w, Metrics: w,
	})
}

// Cloud.

func (w *world) Identity(ctx context.Context) (cloud.Identity, error) {
	if err := w.call(ctx, "identity", 1); err != nil {
		return cloud.Identity{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.account == "" {
		return cloud.Identity{}, errDown
	}
	return cloud.Identity{Account: w.account}, nil
}

func (w *world) Classify(err error) cloud.Failure { return cloud.FailureOf(err) }

func (w *world) Instances() cloud.Instances { return w }

func (w *world) ParseProviderID(id string) (cloud.InstanceID, error) {
	rest := strings.TrimPrefix(id, "test://")
	if rest == "" || strings.Contains(rest, "/") {
		return "", errors.New("want test://<id>")
	}
	return cloud.InstanceID(rest), nil
}

func (w *world) List(ctx context.Context) (cloud.InstanceList, error) {
	w.mu.Lock()
	list := cloud.InstanceList{Items: slices.Collect(maps.Values(w.machines)), Complete: true}
	hook := w.onList
	w.mu.Unlock()
	var err error
	if hook != nil {
		err = hook(ctx, &list)
	}
	pages := max(1, ceil(len(list.Items), max(1, w.limits.PageSize)))
	return list, errors.Join(err, w.call(ctx, "list", pages))
}

func (w *world) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	if len(ids) > max(1, w.limits.GetBatch) {
		panic(fmt.Sprintf("batch of %d", len(ids)))
	}
	asked := time.Now()
	if err := w.call(ctx, "get", 1); err != nil {
		return nil, err
	}
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		w.mu.Lock()
		machine, ok := w.machines[id]
		hide, hook := w.hide, w.onGet
		w.mu.Unlock()
		if hook != nil {
			if err := hook(ctx, id); err != nil {
				return nil, err
			}
		}
		if ok && (hide == nil || !hide(id)) {
			found[id] = machine
			continue
		}
		w.mu.Lock()
		w.notFound[id] = append(w.notFound[id], asked)
		denied := w.onDenied
		w.mu.Unlock()
		if denied != nil {
			denied(id, asked)
		}
	}
	return found, nil
}

func (w *world) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	if err := w.call(ctx, "find", 1); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []cloud.Instance
	for _, machine := range w.machines {
		if machine.Name == name {
			found = append(found, machine)
		}
	}
	return found, nil
}

func (w *world) call(ctx context.Context, kind string, requests int) error {
	w.mu.Lock()
	w.requests += requests
	w.calls[kind]++
	w.mu.Unlock()
	select {
	case <-time.After(w.latency * time.Duration(requests)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Cluster.

func (w *world) listNodes() []*corev1.Node {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Values(w.nodes))
}

// boot adds a machine.
func (w *world) boot(name string) cloud.InstanceID {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := cloud.InstanceID("id-" + name)
	w.machines[id] = cloud.Instance{
		ID: id, ProviderID: "test://" + string(id), Name: name, Type: "small", Region: "here", State: cloud.StateRunning,
		Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}},
	}
	return id
}

func (w *world) terminate(id cloud.InstanceID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.machines, id)
}

func (w *world) change(id cloud.InstanceID, f func(*cloud.Instance)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	machine := w.machines[id]
	f(&machine)
	w.machines[id] = machine
}

// join adds a Node that was just created, uninitialised and without provider-ID.
func (w *world) join(name string) *corev1.Node { return w.joinAs(name, "") }

// joinAs is join with the provider-ID the kubelet was told.
func (w *world) joinAs(name, providerID string) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), CreationTimestamp: metav1.Now()},
		Spec: corev1.NodeSpec{
			ProviderID: providerID,
			Taints:     []corev1.Taint{{Key: taintUninitialized, Effect: corev1.TaintEffectNoSchedule}},
		},
	}
	return w.put(node)
}

// member adds a machine and an hour old, initialised Node for it.
func (w *world) member(name string, isReady bool) *corev1.Node {
	id := w.boot(name)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
		Spec:       corev1.NodeSpec{ProviderID: "test://" + string(id)},
	}
	setReady(node, isReady)
	return w.put(node)
}

func (w *world) members(prefix string, n int, isReady bool) []*corev1.Node {
	nodes := make([]*corev1.Node, n)
	for k := range nodes {
		nodes[k] = w.member(fmt.Sprintf("%s-%d", prefix, k), isReady)
	}
	return nodes
}

func (w *world) put(node *corev1.Node) *corev1.Node {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nodes[node.Name] = node
	return node
}

func setReady(node *corev1.Node, isReady bool) {
	status := corev1.ConditionUnknown
	if isReady {
		status = corev1.ConditionTrue
	}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.Now()}}
}

func (w *world) unready(node *corev1.Node) *corev1.Node {
	node = node.DeepCopy()
	setReady(node, false)
	return w.put(node)
}

// initialise does what the node controller does with what Metadata returned.
func (w *world) initialise(node *corev1.Node, machine cloud.Instance) *corev1.Node {
	node = node.DeepCopy()
	node.Spec.ProviderID, node.Spec.Taints = machine.ProviderID, nil
	return w.put(node)
}

// pass does what the lifecycle controller does every 5 seconds.
func (w *world) pass(ctx context.Context, i *Inventory, workers int) (errs []error) {
	var mu sync.Mutex
	asked := slices.DeleteFunc(w.listNodes(), func(node *corev1.Node) bool { return Ready(node) || i.Running(node) })
	parallel(asked, workers, func(node *corev1.Node) {
		exists, err := i.Exists(ctx, node)
		switch {
		case err != nil:
			mu.Lock()
			errs = append(errs, err)
			mu.Unlock()
		case exists:
			_, _ = i.Shutdown(ctx, node)
		default:
			w.mu.Lock()
			delete(w.nodes, node.Name)
			w.deleted = append(w.deleted, node.Name)
			w.mu.Unlock()
		}
	})
	return errs
}

// lifecycle makes passes until the time is over.
func (w *world) lifecycle(ctx context.Context, i *Inventory, workers int, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(5 * time.Second) {
		w.pass(ctx, i, workers)
	}
}

// status does what the node controller does every 5 minutes.
func (w *world) status(ctx context.Context, i *Inventory, workers int) (failed int) {
	var mu sync.Mutex
	parallel(w.listNodes(), workers, func(node *corev1.Node) {
		if Uninitialized(node) {
			return
		}
		if _, err := i.Metadata(ctx, node); err != nil {
			mu.Lock()
			failed++
			mu.Unlock()
		}
	})
	return failed
}

func parallel(nodes []*corev1.Node, workers int, do func(*corev1.Node)) {
	queue := make(chan *corev1.Node, len(nodes))
	for _, node := range nodes {
		queue <- node
	}
	close(queue)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for node := range queue {
				do(node)
			}
		})
	}
	group.Wait()
}

// Records.

func (w *world) Record(object event.Object, reason event.Reason, message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, object.Name+" "+reason.Name+": "+message)
}

func (w *world) Add(d *metric.Definition, value float64, labels ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[d.Name+" "+labels[len(labels)-1]] += int(value)
}

func (w *world) Set(d *metric.Definition, value float64, labels ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[d.Name] = int(value)
}

func (w *world) Observe(*metric.Definition, float64, ...string) {}

func (w *world) count(d *metric.Definition, label string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts[strings.TrimSpace(d.Name+" "+label)]
}

// cost returns the requests since the last call of cost.
func (w *world) cost() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.requests
	w.requests = 0
	return n
}

func (w *world) called(kind string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[kind]
}

func (w *world) gone() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(slices.Values(w.deleted))
}

// told returns how many events with that reason the Node has.
func (w *world) told(node string, reason event.Reason) (n int, last string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range w.events {
		if strings.HasPrefix(text, node+" "+reason.Name+":") {
			n, last = n+1, text
		}
	}
	return n, last
}

func decisionOf(err error) string {
	if held, ok := errors.AsType[*absence.HeldError](err); ok {
		return string(held.Decision)
	}
	return ""
}

func mustExist(t *testing.T, i *Inventory, node *corev1.Node) {
	t.Helper()
	if exists, err := i.Exists(t.Context(), node); err != nil || !exists {
		t.Fatalf("Exists(%s) = %v, %v, want true", node.Name, exists, err)
	}
}

func mustHold(t *testing.T, i *Inventory, node *corev1.Node, want absence.Decision) {
	t.Helper()
	exists, err := i.Exists(t.Context(), node)
	if err == nil || decisionOf(err) != string(want) {
		t.Fatalf("Exists(%s) = %v, %v, want the decision %s", node.Name, exists, err, want)
	}
}
