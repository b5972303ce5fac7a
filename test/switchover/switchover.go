// Package switchover is a cluster with a real API server on which a switch from an upstream controller
// manager is tried: the binary's own commands look at it, and then the binary is started. What upstream
// left there, in the cluster and in the cloud, the tests make.
package switchover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/adopt"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/schema"
)

const (
	// patience bounds the wait for one thing.
	patience = 3 * time.Minute
	// startLimit bounds the start of a cluster, which may have to build its programs.
	startLimit = 30 * time.Minute
	// finalizer is the one that the service controller of every controller manager sets.
	finalizer = "service.kubernetes.io/load-balancer-cleanup"
	namespace = "shop"
)

// Options say how the binary reaches the cloud.
type Options struct {
	Provider string
	// Env are NAME=value, Args flags of all commands and of the controller manager.
	Env, Args []string
	// Secret is what no output may have, "" for nothing.
	Secret string
	// Binary is the path of a built binary; "" builds one for all tests of the package.
	Binary string
}

// Cluster is a control plane with the binary beside it.
type Cluster struct {
	*controlplane.ControlPlane
	t          testing.TB
	o          Options
	kubeconfig string
	binary     string
	running    *ccm.Process
}

// binary is built once. CCM_BINARY names one to test in its place.
var binary = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("CCM_BINARY"); given != "" {
		return given, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("looking for the folder of caches: %w", err)
	}
	dir := filepath.Join(cache, "multicloud-ccm-switchover", fmt.Sprint(os.Getpid()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making a folder for the binary: %w", err)
	}
	return ccm.Build(ctx, ccm.BuildOptions{Dir: dir, Race: true})
})

// Open starts a control plane for the test.
func Open(t testing.TB, o Options) *Cluster {
	t.Helper()
	c := &Cluster{t: t, o: o, binary: o.Binary}
	var err error
	if c.binary == "" {
		c.binary, err = binary()
		c.must(err)
	}
	c.ControlPlane, err = controlplane.Start(c.within(startLimit), controlplane.Options{Progress: os.Stderr, Controllers: controlplane.NoControllers})
	c.must(err)
	t.Cleanup(func() { _ = c.Stop() })
	c.kubeconfig, err = lab.Authorize(c.within(patience), c.ControlPlane)
	c.must(err)
	_, err = c.Client().CoreV1().Namespaces().Create(c.within(patience), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	c.must(err)
	return c
}

// Close removes what is left of the binary when all tests of a package have ended.
func Close() {
	if path, err := binary(); err == nil && os.Getenv("CCM_BINARY") == "" {
		_ = os.RemoveAll(filepath.Dir(path))
	}
}

func (c *Cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *Cluster) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), d, fmt.Errorf("not within %s", d))
	c.t.Cleanup(cancel)
	return ctx
}

// Node joins a Node that upstream has initialised, Ready, with these addresses.
func (c *Cluster) Node(o controlplane.NodeOptions, addresses ...corev1.NodeAddress) *corev1.Node {
	c.t.Helper()
	o.Initialized, o.Ready = true, true
	ctx, nodes := c.within(patience), c.Client().CoreV1().Nodes()
	node, err := c.JoinNode(ctx, o)
	c.must(err)
	node.Status.Addresses = addresses
	node, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
	c.must(err)
	return node
}

// Apply makes the Service, of type LoadBalancer with the finalizer of the service controller. The API
// server chooses what is not given, the UID among it.
func (c *Cluster) Apply(svc *corev1.Service) *corev1.Service {
	c.t.Helper()
	svc = svc.DeepCopy()
	svc.Namespace, svc.Finalizers, svc.Spec.Type = namespace, []string{finalizer}, corev1.ServiceTypeLoadBalancer
	svc.UID, svc.Status = "", corev1.ServiceStatus{}
	svc, err := c.Client().CoreV1().Services(namespace).Create(c.within(patience), svc, metav1.CreateOptions{})
	c.must(err)
	if svc.Annotations == nil {
		svc.Annotations = map[string]string{}
	}
	return svc
}

// Publish writes what upstream writes on a Service when its load balancer is there: the status, and
// annotations.
func (c *Cluster) Publish(svc *corev1.Service, annotations map[string]string, ingress ...corev1.LoadBalancerIngress) *corev1.Service {
	c.t.Helper()
	ctx, services := c.within(patience), c.Client().CoreV1().Services(namespace)
	svc = svc.DeepCopy()
	for key, value := range annotations {
		metav1.SetMetaDataAnnotation(&svc.ObjectMeta, key, value)
	}
	svc, err := services.Update(ctx, svc, metav1.UpdateOptions{})
	c.must(err)
	svc.Status.LoadBalancer.Ingress = ingress
	svc, err = services.UpdateStatus(ctx, svc, metav1.UpdateOptions{})
	c.must(err)
	return svc
}

// Answer is what a command said.
type Answer struct {
	Code           int
	Stdout, Stderr string
}

// Run runs a command of the binary with the flags that it needs to reach cluster and cloud, and with the
// rights of the controller manager.
func (c *Cluster) Run(args ...string) Answer {
	c.t.Helper()
	return c.RunAs(c.kubeconfig, args...)
}

// RunAs is Run with the rights of a kubeconfig.
func (c *Cluster) RunAs(kubeconfig string, args ...string) Answer {
	c.t.Helper()
	cmd := exec.CommandContext(c.within(patience), c.binary, args...)
	cmd.Args = append(append(cmd.Args, "--cloud-provider="+c.o.Provider, "--kubeconfig="+kubeconfig), c.o.Args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.Dir(), "COLUMNS=1000", ccm.NoRaceSleep}, c.o.Env...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		c.t.Fatal(err)
	}
	if secret := c.o.Secret; secret != "" && strings.Contains(out.String()+errOut.String(), secret) {
		c.t.Errorf("%q: the secret is in the output", args)
	}
	return Answer{cmd.ProcessState.ExitCode(), out.String(), ccm.WithoutRaceNote(errOut.String())}
}

// Adopt runs `adopt --check -o json`, and fails the test unless the answer is what the schema in the
// documentation says.
func (c *Cluster) Adopt(args ...string) (adopt.Report, Answer) {
	c.t.Helper()
	answer := c.Run(append([]string{"adopt", "--check", "-o", "json", "--node-deletion-grace=1s"}, args...)...)
	var report adopt.Report
	if answer.Stdout == "" {
		c.t.Fatalf("adopt: code %d: %s", answer.Code, answer.Stderr)
	}
	if err := schema.Check("adopt", answer.Stdout); err != nil {
		c.t.Error(err)
	}
	decoder := json.NewDecoder(strings.NewReader(answer.Stdout))
	decoder.DisallowUnknownFields()
	c.must(decoder.Decode(&report))
	return report, answer
}

// Switch starts the controller manager and waits until it has ensured the load balancer of every
// Service. It stops with the test.
func (c *Cluster) Switch(args ...string) {
	c.t.Helper()
	p, err := ccm.Start(ccm.Options{
		Binary: c.binary, Kubeconfig: c.kubeconfig, Provider: c.o.Provider, Env: c.o.Env, Dir: c.Dir(), Name: "switch",
		Certificate: c.ServingCertificate(),
		Args:        append(append([]string{"--node-deletion-grace=1s", "--node-burst-window=200ms"}, c.o.Args...), args...),
	})
	c.must(err)
	c.running = p
	c.t.Cleanup(c.Halt)
	c.must(p.Healthy(c.within(patience)))
	c.must(controlplane.Eventually(c.within(patience), c.ensured))
}

// ensured returns nil when every Service has been ensured. The event may be in the log alone: of one object, client-go sends 25 events and
// then one in five minutes (tools/record/events_cache.go), which is not enough with Compares and a slow cloud. Or it is in the API alone:
// where the cloud took its time, it is UpdatedLoadBalancer, which is not logged.
func (c *Cluster) ensured(ctx context.Context) error {
	services, err := c.Client().CoreV1().Services(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	events, err := c.Client().CoreV1().Events(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, e := range events.Items {
		done[e.InvolvedObject.Name] = done[e.InvolvedObject.Name] || e.Reason == "EnsuredLoadBalancer" || e.Reason == "UpdatedLoadBalancer"
	}
	log := c.running.Log()
	for _, svc := range services.Items {
		event := regexp.MustCompile(`"Event occurred" object="` + namespace + "/" + regexp.QuoteMeta(svc.Name) + `" .*reason="EnsuredLoadBalancer"`)
		if !done[svc.Name] && !event.MatchString(log) {
			return fmt.Errorf("service %s has not been ensured; end of the log:\n%s", svc.Name, c.running.Tail())
		}
	}
	return nil
}

// Halt stops the controller manager, if it runs, and looks through its log.
func (c *Cluster) Halt() {
	p := c.running
	if p == nil {
		return
	}
	c.running = nil
	if err := p.Stop(c.within(patience)); err != nil {
		c.t.Error(err)
	}
	if err := lab.RaceReports(p.Log()); err != nil {
		c.t.Error(err)
	}
	if secret := c.o.Secret; secret != "" && strings.Contains(p.Log(), secret) {
		c.t.Error("the secret is in the log")
	}
	if c.t.Failed() {
		c.t.Logf("end of the log:\n%s", p.Tail())
	}
}
