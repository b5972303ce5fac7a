// Package hcloud_test tests what only Hetzner has through the real thing: Nodes and Services on a real
// kube-apiserver, the real binary with its own ServiceAccount, and strict emulators of the cloud API and of Robot.
//
// CCM_BINARY names a binary to test in the place of one built with the race detector.
package hcloud_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	namespace = metav1.NamespaceDefault
	// startLimit bounds the start of the lab, which may have to build its programs.
	startLimit = 15 * time.Minute
	// patience is how long a test waits for one thing; nothing takes half of it on a machine that has
	// nothing else to do.
	patience = 4 * time.Minute
)

// env is the cluster and the cloud of all tests, which run one after the other.
var env *lab.Lab

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	dir, err := os.MkdirTemp("", "e2e-hcloud-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = begin(ctx, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "starting the lab:", err)
		return 1
	}
	defer env.Stop()
	return m.Run()
}

func begin(ctx context.Context, dir string) (err error) {
	binary := os.Getenv("CCM_BINARY")
	if binary == "" {
		if binary, err = ccm.Build(ctx, ccm.BuildOptions{Dir: dir, Providers: []string{"hcloud"}, Race: true}); err != nil {
			return err
		}
	}
	cloud, err := testcloud.Open(ctx, "hcloud", testcloud.Options{Progress: os.Stderr})
	if err != nil {
		return err
	}
	env, err = lab.Start(ctx, lab.Options{
		Binary: binary, Cloud: cloud, ControlPlane: controlplane.Options{Progress: os.Stderr, Controllers: controlplane.NoControllers},
	})
	return err
}

// site is the cluster and the cloud, empty, for one test.
type site struct {
	*lab.Lab
	*testing.T
	hetzner  *testcloud.Hetzner
	process  *ccm.Process
	launches int
	// looked is when the requests were last looked at.
	looked time.Time
}

func open(t *testing.T) *site {
	t.Helper()
	s := &site{Lab: env, T: t, looked: time.Now(), hetzner: env.Cloud.(*testcloud.Hetzner)}
	ctx, core := s.within(), s.Client().CoreV1()
	s.must(s.Cloud.Clear(ctx))
	services, err := core.Services(namespace).List(ctx, metav1.ListOptions{})
	s.must(err)
	for _, svc := range services.Items {
		if svc.Spec.Type == corev1.ServiceTypeLoadBalancer {
			svc.Finalizers = nil
			_, err := core.Services(namespace).Update(ctx, &svc, metav1.UpdateOptions{})
			s.must(err)
			s.must(core.Services(namespace).Delete(ctx, svc.Name, metav1.DeleteOptions{}))
		}
	}
	s.must(core.Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	s.must(core.Events(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
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

// start starts a CCM in the place of the one before. With the test it is stopped, and its log is searched for
// races and credentials.
func (s *site) start(own map[string]string, args ...string) {
	s.Helper()
	if s.process != nil {
		s.must(s.process.Stop(s.within()))
	}
	s.launches++
	p, err := s.StartCCM(lab.CCMOptions{Name: fmt.Sprintf("%s-%d", strings.ReplaceAll(s.Name(), "/", "-"), s.launches), Env: own, Args: args})
	s.must(err)
	s.process = p
	s.Cleanup(func() { s.finish(p) })
	s.must(p.Healthy(s.within()))
}

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
	for _, secret := range []string{s.Cloud.Secret(), robotPassword} {
		if strings.Contains(p.Log(), secret) {
			s.Error("the credentials are in the log")
		}
	}
	if s.Failed() {
		s.Logf("end of the ccm's log:\n%s", p.Tail())
	}
}

// doctor runs the program's check-up.
func (s *site) doctor(own map[string]string, args ...string) string {
	s.Helper()
	cmd := exec.CommandContext(s.within(), s.Binary(), append([]string{"doctor", "--cloud-provider=hcloud", "--kubeconfig=" + s.Kubeconfig()}, args...)...)
	cmd.Env = append(append(os.Environ(), "COLUMNS=1000"), s.Environment(own)...)
	out, _ := cmd.CombinedOutput() // its status is that of the worst check
	return string(out)
}

// service creates a Service of type LoadBalancer.
func (s *site) service(name string, ports ...int32) {
	s.Helper()
	s.annotated(name, nil, ports...)
}

func (s *site) annotated(name string, annotations map[string]string, ports ...int32) {
	s.Helper()
	svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}
	for _, port := range ports {
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: fmt.Sprintf("p%d", port), Port: port})
	}
	_, err := s.Client().CoreV1().Services(namespace).Create(s.within(), svc, metav1.CreateOptions{})
	s.must(err)
}

// addressed waits until a Service has an address.
func (s *site) addressed(name string) {
	s.Helper()
	_, err := s.WaitService(s.within(), namespace, name, func(svc *corev1.Service) error {
		if svc == nil || len(svc.Status.LoadBalancer.Ingress) == 0 {
			return errors.New("it has no address")
		}
		return nil
	})
	s.must(err)
}

// node waits until a Node is as check wants it.
func (s *site) node(name string, check func(*corev1.Node) error) *corev1.Node {
	s.Helper()
	node, err := s.WaitNode(s.within(), name, check)
	s.must(err)
	return node
}

// initialised is met by a Node that has everything it gets once.
func initialised(node *corev1.Node) error {
	if node == nil {
		return errors.New("there is no such node")
	}
	for _, taint := range node.Spec.Taints {
		if taint.Key == controlplane.UninitializedTaint {
			return fmt.Errorf("node %s is still tainted", node.Name)
		}
	}
	if node.Spec.ProviderID == "" || len(node.Status.Addresses) < 2 {
		return fmt.Errorf("node %s is %q at %v", node.Name, node.Spec.ProviderID, node.Status.Addresses)
	}
	return nil
}

func gone(node *corev1.Node) error {
	if node != nil {
		return fmt.Errorf("node %s is still there", node.Name)
	}
	return nil
}
