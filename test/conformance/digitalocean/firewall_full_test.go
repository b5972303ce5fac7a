package digitalocean_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/firewall"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

// nodePorts returns a Service of type NodePort.
func nodePorts(namespace, name string, ports ...int32) *corev1.Service {
	svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + name)}}
	svc.Spec.Type = corev1.ServiceTypeNodePort
	for _, port := range ports {
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Port: 80, NodePort: port, Protocol: corev1.ProtocolTCP})
	}
	return svc
}

// sharedFirewall returns what the kernel does with the firewall, on the emulator.
func sharedFirewall(l *lab) func(...*corev1.Service) error {
	l.server.Tags.Add("k8s-node")
	c := run.Decorate(l.driver, run.Options{Name: "digitalocean", Descriptor: digitalocean.Descriptor(), Annotations: digitalocean.Annotations()})
	m := firewall.New(firewall.Options{Cloud: c, Executor: run.NewExecutor(c, run.Live, nil, nil)})
	return func(services ...*corev1.Service) error {
		_, err := m.Reconcile(l.Context(), services, func(svc *corev1.Service) (cloud.Balancer, string, error) {
			b := cloud.Balancer{ProviderFields: map[string]string{"type": emulator.TypeRegionalNetwork}, Listeners: []cloud.Listener{
				{Protocol: cloud.ProtocolTCP, Port: int(svc.Spec.Ports[0].Port), TargetPort: int(svc.Spec.Ports[0].Port)},
			}}
			return b, "", nil
		})
		return err
	}
}

func (l *lab) isOpen(port string) bool {
	return slices.ContainsFunc(l.server.State().Firewalls[0].InboundRules, func(r emulator.InboundRule) bool { return r.Ports == port })
}

// TestFirewallIsShared: the strict API takes what the kernel makes of more than it holds. What is open
// stays open, whoever wants more, and what nobody needs is closed.
func TestFirewallIsShared(t *testing.T) {
	l := newLab(t, 1, map[string]string{"PUBLIC_ACCESS_FIREWALL_NAME": "fw", "PUBLIC_ACCESS_FIREWALL_TAGS": "k8s-node"}, nil)
	reconcile := sharedFirewall(l)
	l.must(reconcile(nodePorts("shop", "gone", 32000), nodePorts("shop", "web", 31000)))
	var many []int32
	for i := range int32(60) {
		many = append(many, 30001+2*i)
	}
	l.must(reconcile(nodePorts("greedy", "many", many...), nodePorts("shop", "web", 31000)))
	if n := len(l.server.State().Firewalls[0].InboundRules); n != 47 {
		t.Errorf("%d rules, want all 47 to be used", n)
	}
	if l.isOpen("32000") || !l.isOpen("31000") {
		t.Error("the port of the deleted Service is open, or that of the other namespace is not")
	}
}

// TestFirewallSources: a rule has a thousand sources; a Service may have more.
func TestFirewallSources(t *testing.T) {
	l := newLab(t, 1, map[string]string{"PUBLIC_ACCESS_FIREWALL_NAME": "fw", "PUBLIC_ACCESS_FIREWALL_TAGS": "k8s-node"}, nil)
	reconcile := sharedFirewall(l)
	svc := nodePorts("shop", "web", 0)
	svc.Spec.Type = corev1.ServiceTypeLoadBalancer
	for i := range 2500 {
		svc.Spec.LoadBalancerSourceRanges = append(svc.Spec.LoadBalancerSourceRanges, fmt.Sprintf("10.%d.%d.0/32", i/256, i%256))
	}
	l.must(reconcile(svc))
	if n := len(l.server.State().Firewalls[0].InboundRules); n != 3 {
		t.Errorf("%d rules, want 3", n)
	}
	l.server.ResetTraffic()
	l.must(reconcile(svc))
	wantRequests(t, "nothing changed", l.requests(), "GET /v2/firewalls")
}

// TestFirewallRefusal: when the API refuses the whole, what nobody needs is closed.
func TestFirewallRefusal(t *testing.T) {
	l := newLab(t, 1, map[string]string{"PUBLIC_ACCESS_FIREWALL_NAME": "fw", "PUBLIC_ACCESS_FIREWALL_TAGS": "k8s-node"}, nil)
	reconcile := sharedFirewall(l)
	l.must(reconcile(nodePorts("shop", "gone", 32000), nodePorts("shop", "stays", 31000)))
	l.server.AddFault(fault.Fault{Method: "PUT", Path: "/v2/firewalls/**", Times: 1, Status: 422, Body: `{"message": "a firewall can have at most 20 rules"}`})
	if err := reconcile(nodePorts("shop", "stays", 31000), nodePorts("shop", "new", 31002)); err == nil {
		t.Error("no error")
	}
	if l.isOpen("32000") || l.isOpen("31002") || !l.isOpen("31000") {
		t.Errorf("rules %+v", l.server.State().Firewalls[0].InboundRules)
	}
}
