package digitalocean_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// TestFirewallFull: sixty scattered node ports of one Service are more than the firewall holds.
// What is open stays open. A Service of another namespace waits until there is room, and learns
// nobody's name. What nobody wants any more is closed.
func TestFirewallFull(t *testing.T) {
	start(t, firewallEnv)
	gone := exposed(t, nil, tcp(80))
	old := gone.nodePort(0)
	opens(t, "tcp", old, everyone)

	var ports []corev1.ServicePort
	for i := range int32(60) {
		port := tcp(1000 + i)
		port.NodePort = 30001 + 2*i
		ports = append(ports, port)
	}
	many := exposed(t, nil, ports...)
	many.event("FirewallFull", "tcp/30093", "47 rules")
	opens(t, "tcp", old, everyone)
	other := elsewhere(t, tcp(80))
	port := int(other.Spec.Ports[0].NodePort)
	e, err := env.WaitEvent(within(t), lab.EventFilter{
		Kind: "Service", Namespace: other.Namespace, Name: other.Name, Reason: "FirewallFull", Contains: []string{fmt.Sprintf("tcp/%d", port), "holds 47 rules"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(e.Message, many.name) || strings.Contains(e.Message, namespace) {
		t.Errorf("another namespace's name is told: %s", e.Message)
	}

	gone.remove()
	opens(t, "tcp", old, "")
	firewall(t, func(f *do.Firewall) error {
		if n := len(f.InboundRules); n != 47 {
			return fmt.Errorf("%d rules, want all 47 to be used", n)
		}
		return nil
	})
	many.edit(func(svc *corev1.Service) { svc.Spec.Ports = svc.Spec.Ports[:40] })
	opens(t, "tcp", port, everyone)
}

// elsewhere makes a Service of type NodePort in a namespace of its own.
func elsewhere(t *testing.T, ports ...corev1.ServicePort) *corev1.Service {
	t.Helper()
	core := env.Client().CoreV1()
	space, err := core.Namespaces().Create(within(t), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	svc, err := core.Services(space.Name).Create(within(t), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort, Ports: ports},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := core.Services(space.Name).Delete(within(t), svc.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	return svc
}

// TestFirewallDeniedPort: a Service cannot open SSH of the nodes to its clients.
func TestFirewallDeniedPort(t *testing.T) {
	parallel(t)
	port := 20_000 + int(serial.Add(1))
	s := create(t, nil, func(svc *corev1.Service) { svc.Spec.Ports = []corev1.ServicePort{tcp(22), tcp(int32(port))} })
	s.ready()
	s.event("FirewallPortDenied", "tcp/22")
	opens(t, "tcp", port, everyone)
	opens(t, "tcp", 22, "")
}
