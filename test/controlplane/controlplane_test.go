package controlplane

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// shared is the control plane of all tests; each uses names of its own.
var shared *ControlPlane

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) (code int) {
	// The first build on a clean machine may take most of this.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	var err error
	shared, err = Start(ctx, Options{
		Audit:    &Audit{Bodies: []string{"nodes", "leases.coordination.k8s.io"}},
		Progress: os.Stderr,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := shared.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	return m.Run()
}

// testContext ends with the test or after a minute.
func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

var names atomic.Int64

// newName returns a name that no other test, nor another run of the same one,
// has used.
func newName(prefix string) string { return fmt.Sprintf("%s-%d", prefix, names.Add(1)) }

// serviceAccountClient returns a client that acts as kube-system/name.
func serviceAccountClient(t *testing.T, name string) kubernetes.Interface {
	t.Helper()
	path, err := shared.ServiceAccountKubeconfig(testContext(t), metav1.NamespaceSystem, name)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.UserAgent = -1, "test-"+name
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// The version is the pinned one, or an older one where the environment asks for it.
func TestReportsThePinnedVersion(t *testing.T) {
	source, err := sourceDir()
	if err != nil {
		t.Fatal(err)
	}
	opts, err := Options{}.kubernetes()
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := choose(opts, source, []string{apiServer})
	if err != nil {
		t.Fatal(err)
	}
	want, err := chosen[0].version(source)
	if err != nil {
		t.Fatal(err)
	}
	got, err := shared.Client().Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if got.GitVersion != want {
		t.Errorf("server version %s, want %s", got.GitVersion, want)
	}
}

func TestControllersRun(t *testing.T) {
	ctx, core := testContext(t), shared.Client().CoreV1()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: newName("controllers-run")}}
	if _, err := core.Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for what, get := range map[string]func(context.Context) error{
		"default ServiceAccount": func(ctx context.Context) error {
			_, err := core.ServiceAccounts(namespace.Name).Get(ctx, "default", metav1.GetOptions{})
			return err
		},
		"root CA": func(ctx context.Context) error {
			_, err := core.ConfigMaps(namespace.Name).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
			return err
		},
	} {
		if err := Eventually(ctx, get); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := core.Namespaces().Delete(ctx, namespace.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	err := Eventually(ctx, func(ctx context.Context) error {
		_, err := core.Namespaces().Get(ctx, namespace.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("namespace is still there: %w", err)
	})
	if err != nil {
		t.Error(err)
	}
}

// readNodes lets the ServiceAccount kube-system/NAME read nodes.
const readNodes = `
# A leading comment and empty documents are what templates leave behind.
---
---
apiVersion: v1
kind: List
items:
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: read-nodes}
  rules:
  - {apiGroups: [""], resources: [nodes], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: read-nodes}
subjects:
- {kind: ServiceAccount, namespace: kube-system, name: NAME}
`

func TestServiceAccountMayOnlyWhatRBACAllows(t *testing.T) {
	ctx, name := testContext(t), newName("reader")
	reader := serviceAccountClient(t, name)
	list := func(ctx context.Context) error {
		_, err := reader.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err
	}
	err := list(ctx)
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "system:serviceaccount:kube-system:"+name) {
		t.Fatalf("without a role: %v, want forbidden for the ServiceAccount", err)
	}
	manifest := []byte(strings.ReplaceAll(readNodes, "NAME", name))
	for range 2 { // applying again changes nothing
		if err := shared.ApplyManifest(ctx, manifest); err != nil {
			t.Fatal(err)
		}
	}
	// The authoriser learns of the role through a watch.
	if err := Eventually(ctx, list); err != nil {
		t.Errorf("with a role: %v", err)
	}
	err = reader.CoreV1().Nodes().Delete(ctx, "any", metav1.DeleteOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("a verb that the role lacks: %v, want forbidden", err)
	}
}

func TestApplyManifestNamesTheObject(t *testing.T) {
	manifest := "apiVersion: example.com/v1\nkind: Unknown\nmetadata: {name: thing}\n"
	err := shared.ApplyManifest(testContext(t), []byte(manifest))
	if err == nil || !strings.Contains(err.Error(), "apply Unknown thing") {
		t.Errorf("got error %v, want one that names the object", err)
	}
}

func TestRestartAPIServer(t *testing.T) {
	ctx, client := testContext(t), serviceAccountClient(t, "restart")
	url, survivor := shared.URL(), newName("survivor")
	if _, err := shared.JoinNode(ctx, NodeOptions{Name: survivor}); err != nil {
		t.Fatal(err)
	}
	shared.StopAPIServer()
	if _, err := client.Discovery().ServerVersion(); err == nil {
		t.Error("the stopped API server answers")
	}
	if err := shared.RestartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	if shared.URL() != url {
		t.Errorf("URL %s after the restart, %s before", shared.URL(), url)
	}
	if _, err := shared.Client().CoreV1().Nodes().Get(ctx, survivor, metav1.GetOptions{}); err != nil {
		t.Errorf("object from before the restart: %v", err)
	}
	_, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("token from before the restart: %v, want forbidden as RBAC says", err)
	}
}
