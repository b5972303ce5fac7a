package node_test

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubelet"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// approving starts the controller.
const approving = "--controllers=*,kubelet-serving-certificate"

// allow gives the CCM's account what the controller needs.
func (s *site) allow() {
	s.t.Helper()
	root, err := ccm.Root()
	s.must(err)
	manifest, err := os.ReadFile(filepath.Join(root, "config", "rbac", "kubelet-serving-certificate.yaml"))
	s.must(err)
	s.must(s.ApplyManifest(s.within(patience), manifest))
	s.must(s.Client().CertificatesV1().CertificateSigningRequests().DeleteCollection(s.within(patience), metav1.DeleteOptions{}, metav1.ListOptions{}))
}

// kubelet returns a client with the credential of a Node's kubelet.
func (s *site) kubelet(name string) kubernetes.Interface {
	s.t.Helper()
	client, err := kubelet.Client(s.ControlPlane, name)
	s.must(err)
	return client
}

// request is a kubelet's: for its Node's name, and for what the Node shows.
func request(node *corev1.Node) *x509.CertificateRequest {
	var addresses []string
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP || a.Type == corev1.NodeExternalIP {
			addresses = append(addresses, a.Address)
		}
	}
	return kubelet.Template(node.Name, addresses...)
}

// ask makes a request with a kubelet's credential, and returns its name.
func (s *site) ask(node *corev1.Node, change func(*x509.CertificateRequest)) string {
	s.t.Helper()
	template := request(node)
	change(template)
	csr, err := kubelet.Ask(s.within(patience), s.kubelet(node.Name), template)
	s.must(err)
	return csr.Name
}

// addressOf is an address of a machine, of which some have no public one.
func addressOf(m testcloud.Machine) string { return cmp.Or(m.Internal, m.External) }

// conditions are the decisions about a request.
func (s *site) conditions(ctx context.Context, request string) ([]certificatesv1.CertificateSigningRequestCondition, error) {
	csr, err := s.Client().CertificatesV1().CertificateSigningRequests().Get(ctx, request, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return csr.Status.Conditions, nil
}

// decided waits for a decision about a request.
func (s *site) decided(request string, want certificatesv1.RequestConditionType) {
	s.t.Helper()
	s.must(controlplane.Eventually(s.within(patience), func(ctx context.Context) error {
		conditions, err := s.conditions(ctx, request)
		if err == nil && (len(conditions) != 1 || conditions[0].Type != want) {
			err = fmt.Errorf("the request %s is %+v, want %s", request, conditions, want)
		}
		return err
	}))
}

func asIs(*x509.CertificateRequest) {}

// A kubelet gets what the cloud tells of its machine, also for an address that the machine gets later, and by the same rights that are
// shipped.
func TestKubeletCertificateIsApproved(t *testing.T) {
	s := open(t, testcloud.API)
	s.allow()
	p := s.start(approving)
	m := s.machines.seed(1)[0]
	s.claim(m)
	_, err := s.JoinNode(s.within(patience), m.Node())
	s.must(err)
	early := s.ask(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: m.Name}, Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: addressOf(m)},
	}}}, asIs)
	node := s.node(m.Name, addressed)
	began := time.Now()
	s.decided(early, certificatesv1.CertificateApproved)
	t.Logf("approved %v after the Node had its addresses", time.Since(began).Round(time.Millisecond))
	s.decided(s.ask(node, asIs), certificatesv1.CertificateApproved)
	s.unwarned(m.Name)
	if text := s.metrics(p); !strings.Contains(text, `ccm_kubelet_certificate_decisions_total{cloud="`+s.Provider()+`",decision="approved"} 2`) {
		t.Errorf("the metrics don't count two approvals:\n%s", linesWith(text, "ccm_kubelet_certificate"))
	}
	used := map[string]bool{}
	for _, e := range s.audit(controlplane.AuditFilter{}) {
		if strings.Contains(e.UserAgent, "kubelet-serving-certificate") {
			used[use(e)] = true
		}
	}
	for _, want := range []string{
		"get certificatesigningrequests.certificates.k8s.io", "watch certificatesigningrequests.certificates.k8s.io",
		"patch certificatesigningrequests/approval.certificates.k8s.io", "get endpointslices.discovery.k8s.io", "get configmaps", "get nodes",
	} {
		if !used[want] {
			t.Errorf("%q is granted and never used", want)
		}
		delete(used, want)
	}
	delete(used, "list certificatesigningrequests.certificates.k8s.io") // API servers that stream the list are not asked for it
	if len(used) > 0 {
		t.Errorf("used besides: %v", used)
	}
}

// claim has the author of one Service, which another controller serves, write a machine's name and addresses wherever that is possible,
// and what is the name of no host. It has to keep nobody waiting.
func (s *site) claim(m testcloud.Machine) {
	s.t.Helper()
	class, services := "example.com/other", s.Client().CoreV1().Services(metav1.NamespaceDefault)
	svc, err := services.Create(s.within(patience), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "claim"}, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeLoadBalancer, LoadBalancerClass: &class, Ports: []corev1.ServicePort{{Port: 80}},
		ExternalIPs: []string{addressOf(m)}, LoadBalancerIP: addressOf(m),
	}}, metav1.CreateOptions{})
	s.must(err)
	svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{Hostname: m.Name}, {Hostname: "a.1"}, {IP: addressOf(m)}}
	_, err = services.UpdateStatus(s.within(patience), svc, metav1.UpdateOptions{})
	s.must(err)
}

// linesWith are the lines of a text with a word.
func linesWith(text, word string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return !strings.Contains(line, word) }), "\n")
}

// attack is a request that is not approved, and what the event says of it.
type attack struct {
	name   string
	change func(r *x509.CertificateRequest, other *corev1.Node)
	says   string
}

// Nobody gets a certificate for what is another's: what a stolen credential of a kubelet would ask for.
func TestKubeletCertificateIsNotApproved(t *testing.T) {
	attacks := []attack{
		{"another Node's address", func(r *x509.CertificateRequest, other *corev1.Node) { r.IPAddresses = request(other).IPAddresses }, "none that the cloud tells"},
		{"another Node's name", func(r *x509.CertificateRequest, other *corev1.Node) { r.DNSNames = []string{other.Name} }, "neither the Node's nor one"},
		{"the API server's name", func(r *x509.CertificateRequest, _ *corev1.Node) {
			r.DNSNames = append(r.DNSNames, "kubernetes.default.svc")
		}, "kubernetes.default.svc"},
		{"the API server's Service", func(r *x509.CertificateRequest, _ *corev1.Node) { r.IPAddresses = []net.IP{net.ParseIP("10.96.0.1")} }, "10.96.0.1"},
		{"every host's address", func(r *x509.CertificateRequest, _ *corev1.Node) { r.IPAddresses = []net.IP{net.ParseIP("127.0.0.1")} }, "127.0.0.1"},
		{"an address that its Node shows", func(r *x509.CertificateRequest, _ *corev1.Node) { r.IPAddresses = []net.IP{net.ParseIP("192.0.2.77")} }, "192.0.2.77"},
		{"a mail address", func(r *x509.CertificateRequest, _ *corev1.Node) { r.EmailAddresses = []string{"root@example.com"} }, "not approved"},
	}
	s := open(t, testcloud.API)
	s.allow()
	s.start(approving)
	machines := s.machines.seed(len(attacks) + 1)
	for _, m := range machines {
		_, err := s.JoinNode(s.within(patience), m.Node())
		s.must(err)
	}
	other := s.node(machines[len(attacks)].Name, addressed)
	var requests []string
	for n, a := range attacks {
		node := s.node(machines[n].Name, addressed)
		if strings.Contains(a.name, "its Node shows") {
			s.show(node, "192.0.2.77")
		}
		requests = append(requests, s.ask(node, func(r *x509.CertificateRequest) { a.change(r, other) }))
	}
	for n, a := range attacks {
		s.event(machines[n].Name, "KubeletCertificateWaits", a.says, "kubectl certificate approve "+requests[n])
	}
	s.decided(s.ask(other, asIs), certificatesv1.CertificateApproved) // nobody waits for them
	for n, a := range attacks {
		if conditions, err := s.conditions(s.within(patience), requests[n]); err != nil || len(conditions) > 0 {
			t.Errorf("%s: %+v, %v", a.name, conditions, err)
		}
	}
}

// show has a kubelet write an address into its Node's status.
func (s *site) show(node *corev1.Node, address string) {
	s.t.Helper()
	patch := fmt.Sprintf(`{"status":{"addresses":[{"type":"InternalIP","address":%q}]}}`, address)
	_, err := s.kubelet(node.Name).CoreV1().Nodes().PatchStatus(s.within(patience), node.Name, []byte(patch))
	s.must(err)
}

// What the operator reserves nobody gets, and what contradicts the cloud is denied where that is asked for. While the cloud refuses
// the credentials nothing is decided.
func TestKubeletCertificateSettings(t *testing.T) {
	s := open(t, testcloud.API)
	s.allow()
	machines := s.machines.seed(3)
	for _, m := range machines {
		_, err := s.JoinNode(s.within(patience), m.Node())
		s.must(err)
	}
	s.start(approving, "--kubelet-certificate-deny", "--kubelet-certificate-reserved="+(&url.URL{Scheme: "https", Host: net.JoinHostPort(addressOf(machines[0]), "6443")}).String())
	nodes := make([]*corev1.Node, len(machines))
	for n, m := range machines {
		nodes[n] = s.node(m.Name, addressed)
	}
	reserved := s.ask(nodes[0], asIs)
	wrong := s.ask(nodes[1], func(r *x509.CertificateRequest) { r.DNSNames = []string{"db.example.com"} })
	s.event(machines[0].Name, "KubeletCertificateWaits", addressOf(machines[0]), "reserved by the operator")
	s.decided(wrong, certificatesv1.CertificateDenied)
	s.refuse()
	waiting := s.ask(nodes[2], func(r *x509.CertificateRequest) { r.DNSNames = append(r.DNSNames, "db.example.com") })
	s.never(10*time.Second, func() error {
		for _, request := range []string{reserved, waiting} {
			conditions, err := s.conditions(s.within(patience), request)
			if err != nil || len(conditions) > 0 {
				return fmt.Errorf("%s is decided: %+v, %w", request, conditions, err)
			}
		}
		return nil
	})
	s.Cloud.ClearFaults()
	s.decided(waiting, certificatesv1.CertificateDenied)
}

// Nothing is read of requests where the controller is off.
func TestKubeletCertificatesAreOff(t *testing.T) {
	s := open(t, testcloud.API)
	s.allow()
	m := s.machines.seed(1)[0]
	_, err := s.JoinNode(s.within(patience), m.Node())
	s.must(err)
	s.start()
	request := s.ask(s.node(m.Name, addressed), asIs)
	if answer := s.audit(controlplane.AuditFilter{Resource: "certificatesigningrequests.certificates.k8s.io"}); len(answer) > 0 {
		t.Errorf("requests about certificates: %v", answer)
	}
	if conditions, err := s.conditions(s.within(patience), request); len(conditions) > 0 || err != nil {
		t.Errorf("decided: %+v, %v", conditions, errors.Join(err))
	}
}
