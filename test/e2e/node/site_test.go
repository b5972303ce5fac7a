package node_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// patience is how long a test waits for one thing; nothing takes half of it on a machine
// that has nothing else to do.
const patience = 3 * time.Minute

// quick makes a Node old enough at once, shortens the proof that its machine is gone, and
// looks after Nodes more often. What the cloud is asked is as limited as by default.
var quick = []string{
	"--node-deletion-grace=1s", "--node-deletion-confirm-gap=2s", "--node-monitor-period=500ms",
	"--kube-api-qps=500", "--kube-api-burst=1000", "--node-burst-window=200ms",
}

// site is a cluster with a cloud, for one test.
type site struct {
	*lab.Lab
	t        *testing.T
	began    time.Time
	program  program
	services services
	machines machines
}

// open gives the test an empty cluster and an empty cloud, and runs it beside others. It is skipped
// where the cloud cannot do what it needs.
func open(t *testing.T, needs ...testcloud.Ability) *site {
	t.Helper()
	t.Parallel()
	facts, err := testcloud.FactsOf(cloudName)
	if err != nil {
		t.Fatal(err)
	}
	testcloud.Need(t, facts, needs...)
	l, err := clusters.take()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{Lab: l, t: t}
	s.program, s.services, s.machines = program{s}, services{s}, machines{s}
	t.Cleanup(func() { clusters.put(l) })
	s.clear()
	s.began = time.Now()
	return s
}

// own is the site of a test that is about something which only DigitalOcean has.
type own struct {
	*site
	Cloud *testcloud.DigitalOcean
}

// token is the one of DigitalOcean's account.
const token = testcloud.DigitalOceanToken

// openOwn is open for such a test; about says what it is.
func openOwn(t *testing.T, about string) *own {
	t.Helper()
	if cloudName != "digitalocean" {
		t.Skipf("this is about DigitalOcean's own: %s", about)
	}
	s := open(t)
	return &own{s, s.Cloud.(*testcloud.DigitalOcean)}
}

// clear empties cluster and cloud.
func (s *site) clear() {
	s.t.Helper()
	ctx, core := s.within(patience), s.Client().CoreV1()
	s.must(s.Cloud.Clear(ctx))
	services, err := core.Services("default").List(ctx, metav1.ListOptions{})
	s.must(err)
	for _, svc := range services.Items {
		if svc.Spec.Type != corev1.ServiceTypeLoadBalancer {
			continue
		}
		svc.Finalizers = nil
		_, err := core.Services("default").Update(ctx, &svc, metav1.UpdateOptions{})
		s.must(err)
		s.must(core.Services("default").Delete(ctx, svc.Name, metav1.DeleteOptions{}))
	}
	// The record of deletions is on the lease, and would hold back those of the next test.
	_ = s.Client().CoordinationV1().Leases(lab.Namespace).Delete(ctx, leaseName, metav1.DeleteOptions{})
	s.must(core.Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	s.must(core.Events("default").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
}

// changes is how many requests that can change the cloud there were. A request for a token changes nothing.
func (s *site) changes() int {
	counters := s.Cloud.Counters()
	return counters.Mutating - counters.Of(s.Cloud.Facts().Login)
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// within returns a context for one wait.
func (s *site) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), d, fmt.Errorf("not within %s", d))
	s.t.Cleanup(cancel)
	return ctx
}

var launches atomic.Int64

// start starts the CCM and waits until it serves. With the test it is stopped, and its log
// is searched for races and for the credentials.
func (s *site) start(args ...string) *ccm.Process {
	s.t.Helper()
	return s.startWith(nil, args...)
}

func (s *site) startWith(env map[string]string, args ...string) *ccm.Process {
	s.t.Helper()
	p, err := s.StartCCM(lab.CCMOptions{
		Name: fmt.Sprintf("%03d", launches.Add(1)), Env: env, Args: append(slices.Clone(quick), args...),
	})
	s.must(err)
	s.t.Cleanup(func() { s.finish(p) })
	s.must(p.Healthy(s.within(patience)))
	return p
}

// finish ends a CCM, unless it has ended, and looks through its log.
func (s *site) finish(p *ccm.Process) {
	select {
	case <-p.Done():
	default:
		if err := p.Stop(s.within(patience)); err != nil {
			s.t.Error(err)
		}
	}
	if err := lab.RaceReports(p.Log()); err != nil {
		s.t.Error(err)
	}
	if testcloud.Leaks(s.Cloud, p.Log()) {
		s.t.Error("the credentials are in the log")
	}
	if s.t.Failed() {
		s.t.Logf("end of the ccm's log:\n%s", p.Tail())
	}
}

// pool seeds n machines and joins their Nodes, initialised and Ready.
func (s *site) pool(n int) []testcloud.Machine {
	s.t.Helper()
	machines := s.machines.seed(n)
	var nodes []controlplane.NodeOptions
	for _, m := range machines {
		nodes = append(nodes, m.Settled())
	}
	s.must(s.JoinNodes(s.within(patience), nodes))
	return machines
}

// refuse makes the cloud refuse the credentials, until its faults are cleared.
func (s *site) refuse() {
	s.Cloud.AddFault(fault.Fault{Path: s.Cloud.Facts().All, Status: http.StatusUnauthorized})
}

// notReady makes the Nodes of machines NotReady.
func (s *site) notReady(machines ...testcloud.Machine) { s.setReady(false, machines...) }

func (s *site) setReady(ready bool, machines ...testcloud.Machine) {
	s.t.Helper()
	ctx := s.within(patience)
	for _, d := range machines {
		s.must(s.SetReady(ctx, d.Name, ready, ""))
	}
}

func (s *site) node(name string, check func(*corev1.Node) error) *corev1.Node {
	s.t.Helper()
	node, err := s.WaitNode(s.within(patience), name, check)
	s.must(err)
	return node
}

// count returns how many Nodes there are.
func (s *site) count() int {
	s.t.Helper()
	nodes, err := s.Client().CoreV1().Nodes().List(s.within(patience), metav1.ListOptions{})
	s.must(err)
	return len(nodes.Items)
}

// event waits for an event of that reason on the Node; on any with name "".
func (s *site) event(name, reason string, contains ...string) *corev1.Event {
	s.t.Helper()
	e, err := s.WaitEvent(s.within(patience), lab.EventFilter{Kind: "Node", Name: name, Namespace: "default", Reason: reason, Contains: contains})
	s.must(err)
	return e
}

// unwarned fails the test when an event warns of a Node.
func (s *site) unwarned(name string) {
	s.t.Helper()
	events, err := s.Client().CoreV1().Events("").List(s.within(patience), metav1.ListOptions{FieldSelector: "type=Warning,involvedObject.name=" + name})
	s.must(err)
	for _, e := range events.Items {
		s.t.Errorf("a warning where nothing is wrong: %s: %s", e.Reason, e.Message)
	}
}

// audit returns the CCM's requests of this test.
func (s *site) audit(f controlplane.AuditFilter) []controlplane.AuditEvent {
	s.t.Helper()
	f.User, f.Since = account, s.began
	events, err := s.AuditEvents(f)
	s.must(err)
	return events
}

// never fails the test when check returns an error within d. It is for what must not
// happen; what must happen is waited for.
func (s *site) never(d time.Duration, check func() error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	for ctx.Err() == nil {
		if err := check(); err != nil {
			s.t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// Conditions of Nodes.

func tainted(node *corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
}

func gone(node *corev1.Node) error {
	if node != nil {
		return fmt.Errorf("node %s is still there", node.Name)
	}
	return nil
}

func shutDown(want bool) func(*corev1.Node) error {
	return func(node *corev1.Node) error {
		if node == nil {
			return fmt.Errorf("there is no such node")
		}
		if got := tainted(node, shutdownTaint); got != want {
			return fmt.Errorf("node %s has the shutdown taint: %t", node.Name, got)
		}
		return nil
	}
}

const shutdownTaint = "node.cloudprovider.kubernetes.io/shutdown"

// initialised is met by a Node that has everything it gets once.
func initialised(node *corev1.Node) error {
	switch {
	case node == nil:
		return fmt.Errorf("there is no such node")
	case tainted(node, controlplane.UninitializedTaint):
		return fmt.Errorf("node %s is still tainted", node.Name)
	case node.Spec.ProviderID == "":
		return fmt.Errorf("node %s has no provider-ID", node.Name)
	case len(node.Status.Addresses) < 2:
		return fmt.Errorf("node %s has addresses %v", node.Name, node.Status.Addresses)
	}
	return nil
}

// addressed is met by an initialised Node with the labels of its machine, which come after it.
func addressed(node *corev1.Node) error {
	if err := initialised(node); err != nil {
		return err
	}
	if node.Labels[corev1.LabelTopologyRegion] == "" {
		return fmt.Errorf("node %s has the labels %v", node.Name, node.Labels)
	}
	return nil
}
