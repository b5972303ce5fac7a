package static_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// Nobody can prove that such a machine is gone, or off: its Node is left as it is while it is not Ready, after a restart, and when an
// operator lets all Nodes go.
func TestStaticNodesAreNeverDeletedOrShutDown(t *testing.T) {
	s := open(t)
	lost := s.lose(6)
	s.start(nil, "--leader-elect=true")
	s.looked()
	s.release()
	s.looked()
	s.start(nil, "--leader-elect=true")
	s.looked()
	s.untouched(lost)
	s.undeleted()
}

// A file that has lost its entries, or all of them, is no proof either: to Nodes that are initialised nothing is written, whatever their
// entry said.
func TestNodesThatTheFileHasLostStay(t *testing.T) {
	s := open(t)
	lost := s.lose(3)
	f := s.file(head + "machines:\n- {name: lost-0, zone: attic, labels: {disk: hdd}}\n- {names: 'lost-*', type: n100}\n")
	f.start("--leader-elect=true")
	s.looked()
	f.replace(head + "machines: []\n")
	s.looked()
	s.release()
	s.looked()
	f.write(head + "machines:\n- {name: lost-1}\n")
	f.start("--leader-elect=true")
	s.looked()
	s.untouched(lost)
	s.undeleted()
}

// lose joins initialised Nodes lost-0, lost-1, ... whose kubelets fell silent.
func (s *site) lose(count int) map[string]*corev1.Node {
	s.Helper()
	lost := map[string]*corev1.Node{}
	for n := range count {
		name := fmt.Sprintf("lost-%d", n)
		s.join(controlplane.NodeOptions{
			Name: name, ProviderID: "static://" + name, ProvidedNodeIP: fmt.Sprintf("192.168.1.%d", n+5), Initialized: true, Ready: true, Region: "home", Zone: "cellar",
		})
		s.must(s.SetReady(s.within(), name, false, "NodeStatusUnknown"))
		lost[name] = s.get(name)
	}
	return lost
}

// release lets the Nodes go that the brake holds back, as the sub-command does.
func (s *site) release() {
	s.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"multicloud-ccm.io/brake-released-by":"test","multicloud-ccm.io/brake-released-at":%q}}}`,
		time.Now().UTC().Format(time.RFC3339))
	_, err := s.Client().CoordinationV1().Leases(lab.Namespace).Patch(s.within(), "cloud-controller-manager", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	s.must(err)
}

// Nodes of clouds, of k3s, of kubelets that wait for no cloud, and those with the label that keeps controllers away, are others'.
func TestNodesOfOtherSchemesAreNotTouched(t *testing.T) {
	s := open(t)
	others := s.join(
		controlplane.NodeOptions{Name: "aws", ProviderID: "aws:///eu-central-1a/i-0123456789abcdef0", ProvidedNodeIP: "10.0.0.5"},
		controlplane.NodeOptions{Name: "hcloud", ProviderID: "hcloud://42", ProvidedNodeIP: "10.0.0.6", Initialized: true, Ready: true},
		controlplane.NodeOptions{Name: "k3s", ProviderID: "k3s://k3s", ProvidedNodeIP: "10.0.0.7", Initialized: true},
		controlplane.NodeOptions{Name: "no-scheme", ProviderID: "static", ProvidedNodeIP: "10.0.0.8"},
		controlplane.NodeOptions{Name: "like-ours", ProviderID: "staticx://like-ours", ProvidedNodeIP: "10.0.0.9"},
		controlplane.NodeOptions{Name: "waits-for-nobody", ProvidedNodeIP: "10.0.0.10", Initialized: true},
		controlplane.NodeOptions{Name: "opted-out", ProvidedNodeIP: "10.0.0.11", Labels: map[string]string{"multicloud-ccm.io/unmanaged": "true"}},
	)
	s.join(controlplane.NodeOptions{Name: "ours", ProvidedNodeIP: "192.168.1.5"})
	s.start(nil)
	s.node("ours", is("static://ours", "InternalIP 192.168.1.5"))
	s.looked()
	s.untouched(others)
}

// Where the settings say so, Nodes that k3s initialised are looked after: they keep all they have, in no write.
func TestK3sNodesKeepTheirProviderID(t *testing.T) {
	s := open(t)
	k3s := controlplane.NodeOptions{
		Name: "server-1", ProviderID: "k3s://server-1", ProvidedNodeIP: "10.0.0.5", Initialized: true, InstanceType: "k3s",
		Annotations: map[string]string{"k3s.io/hostname": "server-1", "k3s.io/internal-ip": "10.0.0.5"},
		Labels:      map[string]string{"beta.kubernetes.io/instance-type": "k3s", "node-role.kubernetes.io/control-plane": "true"},
	}
	before := s.join(k3s)
	s.join(controlplane.NodeOptions{Name: "agent-1", ProviderID: "k3s://agent-1", ProvidedNodeIP: "10.0.0.6"}, controlplane.NodeOptions{Name: "nas-1", ProvidedNodeIP: "10.0.0.7"})
	s.start(map[string]string{"STATIC_SCHEMES": "k3s"})
	s.node("agent-1", is("k3s://agent-1", "InternalIP 10.0.0.6"))
	s.node("nas-1", is("static://nas-1", "InternalIP 10.0.0.7"))
	s.looked()
	s.untouched(before)
	s.undeleted()

	s.tell("server-1", "10.0.0.8")
	s.node("server-1", is("k3s://server-1", "InternalIP 10.0.0.8"))
}

// Load balancers are others': of Services nothing is asked, and nothing is written to them.
func TestServicesAreNotTouched(t *testing.T) {
	s := open(t)
	services := s.Client().CoreV1().Services(metav1.NamespaceDefault)
	before, err := services.Create(s.within(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	s.must(err)
	t.Cleanup(func() { s.must(services.Delete(s.within(), "web", metav1.DeleteOptions{})) })
	s.join(controlplane.NodeOptions{Name: "nas-1", ProvidedNodeIP: "192.168.1.5", Ready: true})
	s.start(nil)
	s.node("nas-1", is("static://nas-1", "InternalIP 192.168.1.5"))
	s.looked()
	after, err := services.Get(s.within(), "web", metav1.GetOptions{})
	s.must(err)
	if after.ResourceVersion != before.ResourceVersion {
		t.Errorf("the Service was changed: %+v", after)
	}
	for _, e := range s.requests(controlplane.AuditFilter{Resource: "services/*"}) {
		t.Errorf("%s %s", e.Verb, e.RequestURI)
	}
}
