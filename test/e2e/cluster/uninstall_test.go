package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

// uninstall is refused by the guard, and without it leaves what users depend on: requests go on, and a deleted Service waits for
// somebody who can delete its balancer.
func (s *story) uninstall(t *testing.T) {
	stop := askForever(t, s.url80(t, "echo"))
	out, err := s.helm.Run(within(t, patience), "uninstall", install.Release, "--wait")
	// The text is folded at the width of a terminal.
	if err == nil || !strings.Contains(strings.Join(strings.Fields(out), " "), "default/echo, default/late, default/local: left behind") {
		t.Errorf("the guard says %v\n%s", err, out)
	}
	t.Logf("helm uninstall\n%s", out)
	// helm takes the release for half uninstalled until it is told that it is not.
	_, err = s.helm.Run(within(t, patience), "rollback", install.Release, "2", "--wait")
	must(t, err)
	_, err = s.helm.Run(within(t, patience), "uninstall", install.Release, "--no-hooks", "--wait")
	must(t, err)
	must(t, s.Client().CoreV1().Services(metav1.NamespaceDefault).Delete(within(t, patience), "late", metav1.DeleteOptions{}))
	for _, name := range []string{"echo", "late"} {
		service, err := s.Client().CoreV1().Services(metav1.NamespaceDefault).Get(within(t, patience), name, metav1.GetOptions{})
		must(t, err)
		if len(service.Finalizers) != 1 || s.balancer(service).ID == "" {
			t.Errorf("Service %s has finalizers %v and the balancer %v", name, service.Finalizers, s.balancer(service))
		}
	}
	stop()
}

// reinstall ends the wait, and what is deleted from then on goes at once.
func (s *story) reinstall(t *testing.T) {
	_, err := s.helm.Install(within(t, patience), s.cloud, append(values, "--wait", "--timeout=2m")...)
	must(t, err)
	gone(t, s.Cluster, "late")
	for _, name := range []string{"echo", "local"} {
		must(t, s.Client().CoreV1().Services(metav1.NamespaceDefault).Delete(within(t, patience), name, metav1.DeleteOptions{}))
		gone(t, s.Cluster, name)
	}
	if left := s.cloud.Balancers(); len(left) > 0 {
		t.Errorf("the cloud still has balancers %v", left)
	}
	_, err = s.helm.Run(within(t, patience), "uninstall", install.Release, "--wait")
	must(t, err)
}

// gone waits until a Service is.
func gone(t *testing.T, c *cluster.Cluster, name string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		service, err := c.Client().CoreV1().Services(metav1.NamespaceDefault).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, fmt.Errorf("Service %s has finalizers %v", name, service.Finalizers))
	})
}

// TestDigitalOcean is the way from install to uninstall on another cloud, with a Secret as
// users of the upstream CCM have it.
func TestDigitalOcean(t *testing.T) {
	c := start(t, cluster.Options{Nodes: 1})
	cloud, err := install.OpenDigitalOcean(within(t, patience), c)
	must(t, err)
	t.Cleanup(cloud.Close)
	helm := prepare(t, c, cloud)
	must(t, install.LabelControlPlane(within(t, patience), c))
	_, err = helm.Install(within(t, patience), cloud, "--wait", "--timeout=2m")
	must(t, err)
	node := initialised(t, c, "node-1")
	if want := fmt.Sprintf("digitalocean://%d", cloud.IDs["node-1"]); node.Spec.ProviderID != want {
		t.Errorf("the node has provider-ID %s, want %s", node.Spec.ProviderID, want)
	}
	services := c.Client().CoreV1().Services(metav1.NamespaceDefault)
	_, err = services.Create(within(t, patience), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	must(t, err)
	eventually(t, func(ctx context.Context) error {
		service, err := services.Get(ctx, "web", metav1.GetOptions{})
		if err == nil && len(service.Status.LoadBalancer.Ingress) == 0 {
			err = errors.New("the Service has no address")
		}
		return err
	})
	out, err := helm.Run(within(t, patience), "test", install.Release, "--logs", "--timeout=1m")
	must(t, err)
	t.Log(out)
	must(t, services.Delete(within(t, patience), "web", metav1.DeleteOptions{}))
	gone(t, c, "web")
	if left := cloud.State().Balancers; len(left) > 0 {
		t.Errorf("the cloud still has balancers %v", left)
	}
	_, err = helm.Run(within(t, patience), "uninstall", install.Release, "--wait")
	must(t, err)
}
