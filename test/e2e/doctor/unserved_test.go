package doctor_test

import (
	"os"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// On a cloud that has no load balancers here, Services that nobody serves are named, and no others.
func TestUnservedServices(t *testing.T) {
	sky, err := testcloud.Open(t.Context(), "gce", testcloud.Options{Progress: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sky.Close() })
	var env []string
	for key, value := range sky.Env() {
		env = append(env, key+"="+value)
	}
	c := switchover.Open(t, switchover.Options{Provider: "gce", Env: env, Args: sky.Args(), Secret: sky.Secret(), Binary: cluster.Binary()})
	for name, change := range map[string]func(*corev1.Service){
		"nobodys":   func(*corev1.Service) {},
		"of-class":  func(s *corev1.Service) { s.Spec.LoadBalancerClass = new("example.com/metal") },
		"of-others": func(s *corev1.Service) { s.Finalizers = []string{"example.com/load-balancer"} },
		"served":    func(*corev1.Service) {},
		"internal":  func(s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeClusterIP },
	} {
		svc := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
		}
		change(svc)
		if svc, err = c.Client().CoreV1().Services("default").Create(t.Context(), svc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if name == "served" {
			svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
			if _, err := c.Client().CoreV1().Services("default").UpdateStatus(t.Context(), svc, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	answer := c.RunAs(c.AdminKubeconfig(), "doctor", "service", "-o", "json", "--patience=1ms")
	checks, err := switchover.Checks(answer.Stdout)
	if err != nil {
		t.Fatalf("%v: %s", err, answer.Stderr)
	}
	at := slices.IndexFunc(checks, func(check switchover.Check) bool { return check.ID == "service-unserved" })
	if at < 0 {
		t.Fatalf("the check was not made: %v", checks)
	}
	if got := checks[at]; got.Level != failure || !slices.Equal(got.Evidence, []string{"default/nobodys"}) || answer.Code != 1 {
		t.Errorf("code %d: %s", answer.Code, got)
	}
}
