package balancer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	namespace = metav1.NamespaceDefault
	// patience is how long a test waits for one thing; nothing takes half of it on a machine that has
	// nothing else to do.
	patience = 4 * time.Minute
)

// quick are the flags of every CCM here: short windows, and a Service that failed is not left for long.
var quick = []string{
	"--kube-api-qps=1000", "--kube-api-burst=2000", "--node-burst-window=100ms", "--node-deletion-grace=1s",
	"--node-deletion-confirm-gap=2s", "--node-monitor-period=500ms",
}

// site is the cluster and the cloud, empty, for one test.
type site struct {
	*lab.Lab
	t        *testing.T
	launches int
	machines []testcloud.Machine
	// plain says that CCMs have no race detector, because many are killed.
	plain bool
}

// open empties cluster and cloud, and joins the Nodes of n machines.
func open(t *testing.T, n int) *site {
	t.Helper()
	s := &site{Lab: env, t: t}
	ctx, core := s.within(patience), s.Client().CoreV1()
	s.must(s.Cloud.Clear(ctx))
	services, err := core.Services(namespace).List(ctx, metav1.ListOptions{})
	s.must(err)
	for _, svc := range services.Items {
		if svc.Spec.Type != corev1.ServiceTypeLoadBalancer {
			continue
		}
		svc.Finalizers = nil
		_, err := core.Services(namespace).Update(ctx, &svc, metav1.UpdateOptions{})
		if err == nil {
			err = core.Services(namespace).Delete(ctx, svc.Name, metav1.DeleteOptions{})
		}
		if !apierrors.IsNotFound(err) { // one that is being deleted goes with its last finalizer
			s.must(err)
		}
	}
	s.must(core.Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	s.must(core.Events(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	s.join(n)
	return s
}

// join makes machines with Nodes that are in order.
func (s *site) join(n int) {
	s.t.Helper()
	machines, err := s.Cloud.Seed(s.within(patience), n, testcloud.Machine{})
	s.must(err)
	var nodes []controlplane.NodeOptions
	for _, m := range machines {
		nodes = append(nodes, m.Settled())
	}
	s.must(s.JoinNodes(s.within(patience), nodes))
	s.machines = append(s.machines, machines...)
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

func (s *site) eventually(check func() error) {
	s.t.Helper()
	s.must(controlplane.Eventually(s.within(patience), func(context.Context) error { return check() }))
}

// launch starts a CCM. With the test it is stopped, and its log is searched for races and credentials.
func (s *site) launch(flags ...string) *ccm.Process {
	s.t.Helper()
	s.launches++
	name := fmt.Sprintf("%s-%d", strings.ReplaceAll(s.t.Name(), "/", "-"), s.launches)
	p, err := s.StartCCM(lab.CCMOptions{Name: name, Args: slices.Concat(quick, flags), Plain: s.plain})
	s.must(err)
	s.t.Cleanup(func() { s.finish(p) })
	return p
}

// start is launch, and waits until the CCM serves.
func (s *site) start(flags ...string) *ccm.Process {
	s.t.Helper()
	p := s.launch(flags...)
	s.must(p.Healthy(s.within(patience)))
	return p
}

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

// service creates a Service of type LoadBalancer with TCP ports.
func (s *site) service(name string, ports ...int32) {
	s.t.Helper()
	svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}
	for _, port := range ports {
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: fmt.Sprintf("p%d", port), Port: port})
	}
	s.create(svc)
}

func (s *site) create(svc *corev1.Service) {
	s.t.Helper()
	_, err := s.Client().CoreV1().Services(namespace).Create(s.within(patience), svc, metav1.CreateOptions{})
	s.must(err)
}

// edit changes a Service.
func (s *site) edit(name string, change func(*corev1.Service)) {
	s.t.Helper()
	services := s.Client().CoreV1().Services(namespace)
	s.eventually(func() error { // a conflict is repeated
		svc, err := services.Get(s.within(patience), name, metav1.GetOptions{})
		if err == nil {
			change(svc)
			_, err = services.Update(s.within(patience), svc, metav1.UpdateOptions{})
		}
		return err
	})
}

// addressed waits until a Service has an address, and returns it.
func (s *site) addressed(name string) string {
	s.t.Helper()
	svc, err := s.WaitService(s.within(patience), namespace, name, func(svc *corev1.Service) error {
		if svc == nil || len(svc.Status.LoadBalancer.Ingress) == 0 {
			return errors.New("it has no address")
		}
		return nil
	})
	s.must(err)
	ingress := svc.Status.LoadBalancer.Ingress[0]
	return ingress.IP + ingress.Hostname
}

// begin begins to delete a Service; gone waits until it is.
func (s *site) begin(name string) {
	s.t.Helper()
	s.must(s.Client().CoreV1().Services(namespace).Delete(s.within(patience), name, metav1.DeleteOptions{}))
}

func (s *site) gone(name string) {
	s.t.Helper()
	_, err := s.WaitService(s.within(patience), namespace, name, func(svc *corev1.Service) error {
		if svc != nil {
			return errors.New("it is still there")
		}
		return nil
	})
	s.must(err)
}

func (s *site) balancers() []testcloud.Balancer {
	s.t.Helper()
	all, err := s.Cloud.Balancers(s.within(patience))
	s.must(err)
	return all
}

// are waits until the cloud has exactly these load balancers, each with all machines as targets.
func (s *site) are(listeners ...string) []testcloud.Balancer {
	s.t.Helper()
	var targets []string
	for _, m := range s.machines {
		targets = append(targets, m.ID)
	}
	slices.Sort(targets)
	slices.Sort(listeners)
	var all []testcloud.Balancer
	s.eventually(func() error {
		all = s.balancers()
		var have []string
		for _, b := range all {
			have = append(have, strings.Join(b.Listeners, " "))
			if !b.Active || !slices.Equal(b.Targets, targets) {
				return fmt.Errorf("%s serves: %t, targets %v, want %v", b.Name, b.Active, b.Targets, targets)
			}
		}
		slices.Sort(have)
		if !slices.Equal(have, listeners) {
			return fmt.Errorf("load balancers with the listeners %q, want %q", have, listeners)
		}
		return nil
	})
	return all
}

// event waits for an event on a Service.
func (s *site) event(name, reason string) {
	s.t.Helper()
	_, err := s.WaitEvent(s.within(patience), lab.EventFilter{Kind: "Service", Name: name, Namespace: namespace, Reason: reason})
	s.must(err)
}
