package gce_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

const shutdownTaint = "node.cloudprovider.kubernetes.io/shutdown"

// Each part goes on where the one before ended.
func TestNodes(t *testing.T) {
	s := open(t, emulator.Options{}, "")
	s.start()
	for _, part := range []struct {
		name string
		run  func(*testing.T, *site)
	}{
		{"nodes become what their machines are", initialise},
		{"the doctor sees a sound cluster", sound},
		{"no node is deleted without proof", unproven},
		{"nodes of others are left alone", foreign},
		{"a stopped machine's node is shut down", stopped},
		{"a deleted machine's node goes", deleted},
		{"services are left alone", services},
		{"the doctor finds a wrong key", wrongKey},
	} {
		if !t.Run(part.name, func(t *testing.T) {
			s.t = t
			part.run(t, s)
		}) {
			break
		}
	}
	s.t = t
}

func initialise(_ *testing.T, s *site) {
	s.cloud.Load(emulator.Seed{Instances: []emulator.Instance{
		{Name: "web-1", Zone: "us-central1-a", InternalIP: "10.128.0.11", ExternalIP: "203.0.113.11"},
		{Name: "web-2", Zone: "us-central1-b", InternalIP: "10.128.0.12"},
		{Name: "web-3", Zone: "europe-west1-c", InternalIP: "10.129.0.13"},
		{Name: "web-4", Zone: "us-central1-a", InternalIP: "10.128.0.14"},
		{Name: "web-4", Zone: "us-central1-b", InternalIP: "10.128.0.15"},
	}})
	const dns = "web-4.us-central1-b.c.test-project.internal"
	s.join(
		controlplane.NodeOptions{Name: "web-1", Ready: true},
		controlplane.NodeOptions{Name: "web-2.example.com", Ready: true},
		controlplane.NodeOptions{Name: "third", Ready: true, ProviderID: "gce://test-project/europe-west1-c/web-3"},
		controlplane.NodeOptions{Name: dns, Ready: true},
	)
	s.node("web-1", is("gce://test-project/us-central1-a/web-1", "us-central1-a", "InternalIP 10.128.0.11", "ExternalIP 203.0.113.11"))
	s.node("web-2.example.com", is("gce://test-project/us-central1-b/web-2", "us-central1-b", "InternalIP 10.128.0.12"))
	s.node("third", is("gce://test-project/europe-west1-c/web-3", "europe-west1-c", "InternalIP 10.129.0.13"))
	s.node(dns, is("gce://test-project/us-central1-b/web-4", "us-central1-b", "InternalIP 10.128.0.15"))
	for _, r := range s.cloud.Requests() {
		if r.Status >= 400 {
			s.t.Errorf("%s %s was answered %d", r.Method, r.Path, r.Status)
		}
	}
}

func sound(t *testing.T, s *site) {
	// Without an election the lease comes with the first record of the account, soon after the start.
	s.must(wait.PollUntilContextCancel(s.within(patience), 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := s.Client().CoordinationV1().Leases(lab.Namespace).Get(ctx, "cloud-controller-manager", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return true, err
	}))
	out, err := s.doctor()
	if err != nil || !strings.Contains(out, "4 in order") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A zone that cannot be reached, and rights that are taken away, prove nothing: neither does a list
// show the machine then, nor is there an answer about the machine itself.
func unproven(_ *testing.T, s *site) {
	zone := "zones/us-central1-a"
	s.cloud.SetUnreachable(zone, "zones/us-central1-b")
	s.cloud.AddFault(fault.Fault{Path: "/compute/v1/projects/" + project + "/" + zone + "/**", Status: http.StatusServiceUnavailable})
	s.cloud.ResetTraffic()
	s.must(s.SetReady(s.within(patience), "web-1", false, "NodeStatusUnknown"))
	s.asked(http.StatusOK, "/aggregated/instances")
	s.asked(http.StatusServiceUnavailable, "/"+machine("us-central1-a", "web-1"))
	s.stays(8*time.Second, "web-1")
	s.cloud.SetUnreachable()
	s.cloud.ClearFaults()
	s.cloud.Revoke(account, project)
	s.cloud.ResetTraffic()
	s.asked(http.StatusForbidden, "/projects/"+project)
	s.stays(8*time.Second, "web-1")
	s.cloud.Grant(account, project, methods()...)
}

// asked waits until the CCM has been answered like that since the last reset of the traffic.
func (s *site) asked(status int, path string) {
	s.t.Helper()
	s.must(s.cloud.Until(s.within(patience), func() bool {
		return slices.ContainsFunc(s.cloud.Requests(), func(r traffic.Request) bool {
			return r.Status == status && strings.Contains(r.Path, path)
		})
	}))
}

// S3: upstream looks for the machine of another project in its own, and deletes the Node. Here it is told that it is left alone, as is
// one that no machine fits. Another cloud's is told nothing.
func foreign(_ *testing.T, s *site) {
	s.join(
		controlplane.NodeOptions{Name: "of-another-project", Initialized: true, ProviderID: "gce://other-project/us-central1-a/web-9"},
		controlplane.NodeOptions{Name: "of-another-cloud", Initialized: true, ProviderID: "aws:///eu-central-1a/i-1"},
		controlplane.NodeOptions{Name: "metal", Initialized: true},
	)
	s.stays(8*time.Second, "of-another-project", "of-another-cloud", "metal")
	s.told("of-another-project", "NodeLeftAlone", "gce://other-project/us-central1-a/web-9 is of a project, account or region")
	s.told("metal", "NodeLeftAlone", "it has no provider-ID")
	s.told("of-another-cloud", "NodeLeftAlone", "")
}

func stopped(_ *testing.T, s *site) {
	s.must(s.cloud.Edit(machine("us-central1-a", "web-1"), map[string]any{"status": "TERMINATED"}))
	s.node("web-1", func(node *corev1.Node) error {
		if node == nil || !tainted(node, shutdownTaint) {
			return fmt.Errorf("no taint: %v", node)
		}
		return nil
	})
}

func deleted(_ *testing.T, s *site) {
	s.must(s.cloud.Remove(machine("us-central1-b", "web-2")))
	s.must(s.SetReady(s.within(patience), "web-2.example.com", false, "NodeStatusUnknown"))
	s.node("web-2.example.com", gone)
	s.node("web-1", func(node *corev1.Node) error { // stopped is not gone
		if node == nil {
			return fmt.Errorf("it is gone")
		}
		return nil
	})
}

// There are no load balancers: a Service waits for somebody else, without a finalizer of ours.
func services(t *testing.T, s *site) {
	ctx := s.within(patience)
	api := s.Client().CoreV1().Services("default")
	_, err := api.Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.stays(3*time.Second, "web-1")
	svc, err := api.Get(ctx, "web", metav1.GetOptions{})
	s.must(err)
	if len(svc.Finalizers) > 0 || len(svc.Status.LoadBalancer.Ingress) > 0 {
		t.Errorf("finalizers %q, status %v", svc.Finalizers, svc.Status)
	}
	s.must(api.Delete(ctx, "web", metav1.DeleteOptions{}))
	s.must(controlplane.Eventually(ctx, func(ctx context.Context) error {
		if _, err := api.Get(ctx, "web", metav1.GetOptions{}); err == nil {
			return fmt.Errorf("it is still there")
		}
		return nil
	}))
}

func wrongKey(t *testing.T, s *site) {
	key, err := s.cloud.ServiceAccountKey("stranger@test-project.iam.gserviceaccount.com")
	s.must(err)
	s.write("stranger.json", string(key))
	out, err := s.doctor("GCE_CREDENTIALS_JSON_FILE=" + s.path("stranger.json"))
	if err == nil || !strings.Contains(out, "FAILURE") || !strings.Contains(out, "compute.projects.get") || strings.Contains(out, "PRIVATE KEY") {
		t.Errorf("%v\n%s", err, out)
	}
}
