// Package doctor_test breaks a cluster in every way that the doctor has to find, on a real API server
// with the real binary and an emulator of DigitalOcean's API, and checks each time that a cluster in
// order says nothing. What needs a kubelet or a scheduler is written into the status of Pods and Nodes
// as these write it.
package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/schema"
	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	startLimit = 30 * time.Minute
	limit      = 2 * time.Minute
	token      = testcloud.DigitalOceanToken
	// ok is the level of a check that finds nothing.
	ok, warning, failure, skipped = "ok", "warning", "failure", "skipped"
)

// world is a cluster in order.
type world struct {
	*lab.Lab
	// Cloud is that of the lab.
	Cloud    *testcloud.DigitalOcean
	t        *testing.T
	droplets []digitalocean.Droplet
}

var (
	cluster *lab.Lab
	sky     *testcloud.DigitalOcean
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	var err error
	if sky, err = testcloud.NewDigitalOcean(digitalocean.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	cluster, err = lab.Start(ctx, lab.Options{
		Cloud: sky, Binary: os.Getenv("CCM_BINARY"),
		ControlPlane: controlplane.Options{Progress: os.Stderr, Controllers: controlplane.NoControllers, Audit: &controlplane.Audit{}},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	defer cluster.Stop()
	return m.Run()
}

// newWorld makes the cluster one that is in order: machines with Nodes, a controller manager that leads,
// runs as a Deployment and has served a Service, a DNS and a control plane of Pods.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Lab: cluster, Cloud: sky, t: t}
	sky.Reset()
	sky.SetToken(token, "default")
	w.must(w.admin().CoreV1().Nodes().DeleteCollection(w.ctx(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	_ = w.admin().CoordinationV1().Leases(lab.Namespace).Delete(w.ctx(), "cloud-controller-manager", metav1.DeleteOptions{})
	w.droplets = sky.Droplets.Seed(3)
	var nodes []controlplane.NodeOptions
	for _, d := range w.droplets {
		nodes = append(nodes, settled(d))
	}
	w.must(w.JoinNodes(w.ctx(), nodes))
	w.deployment("kube-system", "multicloud-ccm", "ghcr.io/multicloud-ccm/multicloud-ccm:v1", "--cloud-provider=digitalocean", "--leader-elect=true", "--cluster-id=lab")
	w.pod("multicloud-ccm-0", map[string]string{"app": "multicloud-ccm"}, onHost, running)
	w.pod("coredns-0", map[string]string{"k8s-app": "kube-dns"}, nil, running)
	w.pod("kube-apiserver-0", map[string]string{"component": "kube-apiserver"}, func(p *corev1.Pod) {
		p.Spec.Containers[0].Command = []string{"kube-apiserver", "--authorization-mode=Node,RBAC"}
	}, running)
	w.start()
	w.service("web", nil)
	_, err := w.WaitService(w.ctx(), "default", "web", func(svc *corev1.Service) error {
		if svc == nil || len(svc.Status.LoadBalancer.Ingress) == 0 {
			return errors.New("no address")
		}
		return nil
	})
	w.must(err)
	return w
}

// start runs the controller manager for as long as the test.
func (w *world) start() {
	w.t.Helper()
	p, err := w.StartCCM(lab.CCMOptions{Name: "doctor", Env: map[string]string{"DO_ACCESS_TOKEN": token}, Args: []string{
		"--leader-elect=true", "--cluster-id=lab", "--node-deletion-grace=1s", "--node-deletion-confirm-gap=2s", "--node-monitor-period=500ms",
	}})
	w.must(err)
	w.t.Cleanup(func() {
		_ = p.Stop(w.ctx())
		if err := lab.RaceReports(p.Log()); err != nil {
			w.t.Error(err)
		}
	})
	w.must(p.Healthy(w.ctx()))
}

func settled(d digitalocean.Droplet) controlplane.NodeOptions {
	return controlplane.NodeOptions{
		Name: d.Name, ProviderID: fmt.Sprintf("digitalocean://%d", d.ID), Initialized: true, Ready: true, Region: d.Region, InstanceType: d.Size,
	}
}

func (w *world) ctx() context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, fmt.Errorf("not within %s", limit))
	w.t.Cleanup(cancel)
	return ctx
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) admin() kubernetes.Interface { return w.Client() }

// result is one check of the report.
type result = switchover.Check

// visit is how the doctor is called.
type visit struct {
	env        []string
	args       []string
	kubeconfig string
	provider   string
}

// run calls the doctor and returns its report by check.
func (w *world) doctor(v visit) map[string]result {
	w.t.Helper()
	args := append([]string{"doctor", "-o", "json", "--patience=1ms"}, v.args...)
	code, out, errOut := w.command(v, args...)
	if code > 1 {
		w.t.Fatalf("code %d: %s%s", code, out, errOut)
	}
	checks, err := switchover.Checks(out)
	if err = errors.Join(err, schema.Check("doctor", out)); err != nil {
		w.t.Fatalf("%v: %s%s", err, out, errOut)
	}
	found := map[string]result{}
	failed := false
	for _, r := range checks {
		found[r.ID] = r
		failed = failed || r.Level == failure
		if bad := r.Level == failure || r.Level == warning; bad != (r.Fix != "") || r.Message == "" || !strings.HasSuffix(r.Link, "#"+r.ID) {
			w.t.Errorf("%s has message %q, fix %q and link %q", r.ID, r.Message, r.Fix, r.Link)
		}
	}
	if failed != (code == 1) {
		w.t.Errorf("exit code %d, failures: %v", code, failed)
	}
	return found
}

func (w *world) command(v visit, args ...string) (code int, out, errOut string) {
	w.t.Helper()
	kubeconfig := v.kubeconfig
	if kubeconfig == "" {
		kubeconfig = w.AdminKubeconfig()
	}
	args = append(args, "--kubeconfig="+kubeconfig)
	if v.provider != "" {
		args = append(args, "--cloud-provider="+v.provider)
	}
	cmd := exec.CommandContext(w.ctx(), w.Binary(), args...)
	cmd.Env = append(os.Environ(), append([]string{"DO_ACCESS_TOKEN=" + token, "DO_OVERRIDE_URL=" + w.Cloud.URL(), "REGION=nyc3", "COLUMNS=1000"}, v.env...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	told := ccm.WithoutRaceNote(stderr.String())
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		return exit.ExitCode(), stdout.String(), told
	}
	w.must(err)
	return 0, stdout.String(), told
}

// silent fails the test when anything is found, or could not be checked.
func (w *world) silent(v visit) {
	w.t.Helper()
	if err := switchover.InOrder(slices.Collect(maps.Values(w.doctor(v)))); err != nil {
		w.t.Error(err)
	}
}

// Objects.

func (w *world) deployment(namespace, name, image string, args ...string) {
	w.t.Helper()
	manifest := fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {namespace: %s, name: %s}
spec:
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s}}
    spec:
      serviceAccountName: cloud-controller-manager
      hostNetwork: true
      containers: [{name: manager, image: %q, args: [%s]}]
`, namespace, name, name, name, image, quoted(args))
	w.must(w.ApplyManifest(w.ctx(), []byte(manifest)))
	w.t.Cleanup(func() { _ = w.admin().AppsV1().Deployments(namespace).Delete(w.ctx(), name, metav1.DeleteOptions{}) })
}

func quoted(args []string) string {
	var list []string
	for _, arg := range args {
		list = append(list, fmt.Sprintf("%q", arg))
	}
	return strings.Join(list, ", ")
}

// pod makes a Pod in kube-system until the test's end; its status is what a kubelet, or the
// scheduler, would write.
func (w *world) pod(name string, labels map[string]string, spec func(*corev1.Pod), status func(*corev1.Pod)) {
	w.t.Helper()
	w.put(name, labels, spec, status)
	w.t.Cleanup(func() { w.unput(name) })
}

func (w *world) unput(name string) {
	never := int64(0)
	_ = w.admin().CoreV1().Pods("kube-system").Delete(w.ctx(), name, metav1.DeleteOptions{GracePeriodSeconds: &never})
}

// put makes or replaces a Pod, for good.
func (w *world) put(name string, labels map[string]string, spec func(*corev1.Pod), status func(*corev1.Pod)) {
	w.t.Helper()
	w.unput(name)
	pods := w.admin().CoreV1().Pods("kube-system")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "image"}}, NodeName: w.droplets[0].Name, ServiceAccountName: lab.ServiceAccount},
	}
	if spec != nil {
		spec(pod)
	}
	made, err := pods.Create(w.ctx(), pod, metav1.CreateOptions{})
	w.must(err)
	status(made)
	_, err = pods.UpdateStatus(w.ctx(), made, metav1.UpdateOptions{})
	w.must(err)
}

func running(p *corev1.Pod) {
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}, {Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
}

// manager replaces the controller manager's Pod until the test's end.
func (w *world) manager(spec, status func(*corev1.Pod)) {
	w.t.Helper()
	w.swap("multicloud-ccm-0", map[string]string{"app": "multicloud-ccm"}, func(p *corev1.Pod) {
		onHost(p)
		if spec != nil {
			spec(p)
		}
	}, status)
	w.t.Cleanup(func() { w.put("multicloud-ccm-0", map[string]string{"app": "multicloud-ccm"}, onHost, running) })
}

// swap replaces a Pod until the test's end, when it runs as it is.
func (w *world) swap(name string, labels map[string]string, spec, status func(*corev1.Pod)) {
	w.t.Helper()
	w.put(name, labels, spec, status)
	w.t.Cleanup(func() { w.put(name, labels, nil, running) })
}

func onHost(p *corev1.Pod) { p.Spec.HostNetwork, p.Spec.DNSPolicy = true, corev1.DNSDefault }

func (w *world) service(name string, edit func(*corev1.Service)) {
	w.t.Helper()
	services := w.admin().CoreV1().Services("default")
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80, Protocol: corev1.ProtocolTCP}}},
	}
	if edit != nil {
		edit(svc)
	}
	_, err := services.Create(w.ctx(), svc, metav1.CreateOptions{})
	w.must(err)
	w.t.Cleanup(func() { w.forget(name) })
}

// annotate sets an annotation of a Service, and takes it away for "".
func (w *world) annotate(name, key, value string) {
	w.t.Helper()
	given := any(value)
	if value == "" {
		given = nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: given}}})
	w.must(err)
	_, err = w.admin().CoreV1().Services("default").Patch(w.ctx(), name, "application/merge-patch+json", patch, metav1.PatchOptions{})
	w.must(err)
}

// forget removes a Service at once.
func (w *world) forget(name string) {
	services := w.admin().CoreV1().Services("default")
	_ = services.Delete(w.ctx(), name, metav1.DeleteOptions{})
	_, _ = services.Patch(w.ctx(), name, "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
}

func (w *world) join(o controlplane.NodeOptions) {
	w.t.Helper()
	_, err := w.JoinNode(w.ctx(), o)
	w.must(err)
	w.t.Cleanup(func() { _ = w.admin().CoreV1().Nodes().Delete(w.ctx(), o.Name, metav1.DeleteOptions{}) })
}
