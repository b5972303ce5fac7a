package chart_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

const (
	// startLimit bounds the start of the API server, which may have to be built.
	startLimit = 30 * time.Minute
	// patience is how long anything may take that takes a second.
	patience = 2 * time.Minute
)

// cluster is the API server of all tests, started by the first that needs it.
type cluster struct {
	*controlplane.ControlPlane
	client dynamic.Interface
	mapper meta.RESTMapper
}

var shared = sync.OnceValues(startCluster)

func TestMain(m *testing.M) {
	code := m.Run()
	if started {
		if c, err := shared(); err == nil {
			_ = c.Stop()
		}
	}
	_ = os.RemoveAll(built.dir)
	os.Exit(code)
}

// started says whether there is a cluster to stop.
var started bool

func startCluster() (*cluster, error) {
	started = true
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	cp, err := controlplane.Start(ctx, controlplane.Options{Progress: os.Stderr, Controllers: controlplane.NoControllers, Audit: &controlplane.Audit{}})
	if err != nil {
		return nil, err
	}
	c := &cluster{ControlPlane: cp}
	crds, err := os.ReadFile("testdata/crds.yaml")
	if err != nil {
		return c, err
	}
	if err := cp.ApplyManifest(ctx, crds); err != nil {
		return c, err
	}
	if c.client, err = dynamic.NewForConfig(cp.AdminConfig()); err != nil {
		return c, err
	}
	resources, err := discovery.NewDiscoveryClientForConfig(cp.AdminConfig())
	if err != nil {
		return c, err
	}
	err = controlplane.Eventually(ctx, func(context.Context) error {
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(resources))
		c.mapper = mapper
		_, err := mapper.RESTMapping(monitors("PrometheusRule"))
		return err
	})
	return c, err
}

// aCluster returns the cluster, with what the chart's objects refer to.
func aCluster(t *testing.T) *cluster {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// apply applies an object as helm does, for good or as a dry run.
func (c *cluster) apply(ctx context.Context, object *unstructured.Unstructured, dryRun bool) error {
	kind := object.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return err
	}
	var target dynamic.ResourceInterface = c.client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		target = c.client.Resource(mapping.Resource).Namespace(object.GetNamespace())
	}
	options := metav1.ApplyOptions{FieldManager: "helm", Force: true}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	if _, err := target.Apply(ctx, object.GetName(), object, options); err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// namespace makes a Namespace with labels.
func (c *cluster) namespace(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	object.SetName(name)
	object.SetLabels(labels)
	if err := c.apply(within(t), object, false); err != nil {
		t.Fatal(err)
	}
}

// account makes a ServiceAccount.
func (c *cluster) account(t *testing.T, namespace, name string) {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ServiceAccount"}}
	object.SetName(name)
	object.SetNamespace(namespace)
	if err := c.apply(within(t), object, false); err != nil {
		t.Fatal(err)
	}
}

// podOf is the Pod that the workload would make.
func podOf(template corev1.PodTemplateSpec, namespace string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "ccm-0", Namespace: namespace, Labels: template.Labels},
		Spec:       template.Spec,
	}
}
