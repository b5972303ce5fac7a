package static_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

const (
	// account is who the binary is to the API server.
	account = "system:serviceaccount:" + lab.Namespace + ":" + lab.ServiceAccount
	// patience is how long a test waits for one thing; nothing takes half of it on a machine that has nothing else to do.
	patience = 2 * time.Minute

	shutdownTaint = "node.cloudprovider.kubernetes.io/shutdown"
)

// quick makes a Node old enough at once, lets all Nodes go together, and looks after them more often.
var quick = []string{
	"--node-deletion-grace=1ms", "--node-deletion-confirm-gap=1ms", "--node-deletion-fraction=1", "--node-deletion-mass-wait=1ms",
	"--node-monitor-period=200ms", "--node-status-update-frequency=500ms",
}

// site is the cluster, empty, for one test.
type site struct {
	*lab.Lab
	*testing.T
	began    time.Time
	process  *ccm.Process
	launches int
}

func open(t *testing.T) *site {
	t.Helper()
	s := &site{Lab: env, T: t}
	ctx, core := s.within(), s.Client().CoreV1()
	s.must(core.Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	s.must(core.Events(metav1.NamespaceDefault).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	s.began = time.Now()
	return s
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// within returns a context for one wait.
func (s *site) within() context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, fmt.Errorf("not within %s", patience))
	s.Cleanup(cancel)
	return ctx
}

func (s *site) eventually(check func() error) {
	s.Helper()
	s.must(controlplane.Eventually(s.within(), func(context.Context) error { return check() }))
}

// start starts a CCM in the place of the one before. With the test it is stopped, and its log is searched for races.
func (s *site) start(own map[string]string, args ...string) {
	s.Helper()
	if s.process != nil {
		s.must(s.process.Stop(s.within()))
	}
	s.launches++
	p, err := s.StartCCM(lab.CCMOptions{Name: s.logName(), Env: own, Args: append(slices.Clone(quick), args...)})
	s.must(err)
	s.process = p
	s.Cleanup(func() { s.finish(p) })
	s.must(p.Healthy(s.within()))
}

// logName tells the processes of all tests apart.
func (s *site) logName() string { return fmt.Sprintf("%s-%d", s.Name(), s.launches) }

func (s *site) finish(p *ccm.Process) {
	select {
	case <-p.Done():
	default:
		if err := p.Stop(s.within()); err != nil {
			s.Error(err)
		}
	}
	if err := lab.RaceReports(p.Log()); err != nil {
		s.Error(err)
	}
	if s.Failed() {
		s.Logf("end of the ccm's log:\n%s", p.Tail())
	}
}

// join joins Nodes, and returns them by name.
func (s *site) join(all ...controlplane.NodeOptions) map[string]*corev1.Node {
	s.Helper()
	joined := map[string]*corev1.Node{}
	for _, o := range all {
		node, err := s.JoinNode(s.within(), o)
		s.must(err)
		joined[o.Name] = node
	}
	return joined
}

// node waits until a Node is as check wants it.
func (s *site) node(name string, check func(*corev1.Node) error) *corev1.Node {
	s.Helper()
	node, err := s.WaitNode(s.within(), name, check)
	s.must(err)
	return node
}

// get returns a Node as it is now.
func (s *site) get(name string) *corev1.Node {
	s.Helper()
	node, err := s.Client().CoreV1().Nodes().Get(s.within(), name, metav1.GetOptions{})
	s.must(err)
	return node
}

func (s *site) patch(name, merge string) {
	s.Helper()
	_, err := s.Client().CoreV1().Nodes().Patch(s.within(), name, types.MergePatchType, []byte(merge), metav1.PatchOptions{})
	s.must(err)
}

// tell makes another --node-ip of a kubelet that was started again.
func (s *site) tell(name, nodeIP string) {
	s.Helper()
	s.patch(name, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, controlplane.ProvidedNodeIP, nodeIP))
}

// looked waits until the CCM has gone through the addresses of all Nodes some times from now on. No controller looks after their lives.
func (s *site) looked() {
	s.Helper()
	const times = 3 // the first may be under way
	before := s.passes()
	s.eventually(func() error {
		if n := s.passes() - before; n < times {
			return fmt.Errorf("%d passes over the addresses", n)
		}
		return nil
	})
}

// passes counts the passes over the addresses that the log tells about.
func (s *site) passes() int { return strings.Count(s.process.Log(), "nodes status took") }

// requests are those of the CCM in this test.
func (s *site) requests(f controlplane.AuditFilter) []controlplane.AuditEvent {
	s.Helper()
	f.User, f.Since = account, s.began
	events, err := s.AuditEvents(f)
	s.must(err)
	return events
}

// untouched fails the test where the CCM wrote to one of the Nodes, or one is another than it was.
func (s *site) untouched(nodes map[string]*corev1.Node) {
	s.Helper()
	for _, e := range s.requests(controlplane.AuditFilter{Verbs: controlplane.WriteVerbs(), Resource: "nodes/*"}) {
		if nodes[e.Object.Name] != nil {
			s.Errorf("%s %s %s", e.Verb, e.RequestURI, e.RequestObject)
		}
	}
	for name, before := range nodes {
		if now := s.get(name); now.UID != before.UID || now.ResourceVersion != before.ResourceVersion {
			s.Errorf("node %s was changed: it is %s at %v, with taints %v", name, now.Spec.ProviderID, now.Status.Addresses, now.Spec.Taints)
		}
	}
}

// undeleted fails the test where the CCM deleted a Node, or said that its machine is off.
func (s *site) undeleted() {
	s.Helper()
	if deletes := s.requests(controlplane.AuditFilter{Verbs: []string{"delete", "deletecollection"}, Resource: "nodes"}); len(deletes) > 0 {
		s.Errorf("%d requests delete Nodes, such as %s", len(deletes), deletes[0].RequestURI)
	}
	nodes, err := s.Client().CoreV1().Nodes().List(s.within(), metav1.ListOptions{})
	s.must(err)
	for _, node := range nodes.Items {
		if tainted(&node, shutdownTaint) {
			s.Errorf("node %s has the taint %s", node.Name, shutdownTaint)
		}
	}
}

// warned waits until a Node was warned with all of these.
func (s *site) warned(node, reason string, has ...string) {
	s.Helper()
	told, err := s.WaitEvent(s.within(), lab.EventFilter{Kind: "Node", Namespace: metav1.NamespaceDefault, Name: node, Reason: reason, Contains: has})
	s.must(err)
	if told.Type != corev1.EventTypeWarning {
		s.Errorf("the event %s of node %s is %s", reason, node, told.Type)
	}
}

func tainted(node *corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
}

// is is met by an initialised Node with this provider-ID and these addresses beside its host name, in any order.
func is(providerID string, addresses ...string) func(*corev1.Node) error {
	return func(node *corev1.Node) error {
		if node == nil {
			return errors.New("there is no such node")
		}
		var have []string
		for _, a := range node.Status.Addresses {
			if a.Type != corev1.NodeHostName || a.Address != node.Name {
				have = append(have, string(a.Type)+" "+a.Address)
			}
		}
		want := slices.Sorted(slices.Values(addresses))
		if slices.Sort(have); node.Spec.ProviderID != providerID || !slices.Equal(have, want) || tainted(node, controlplane.UninitializedTaint) {
			return fmt.Errorf("node %s is %q at %q, with taints %v; want %q at %q", node.Name, node.Spec.ProviderID, have, node.Spec.Taints, providerID, want)
		}
		return nil
	}
}
