package certificate_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	manager "k8s.io/client-go/util/certificate"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubelet"
)

// ask makes a request as a client does.
func (s *site) ask(client kubernetes.Interface, template *x509.CertificateRequest) *certificatesv1.CertificateSigningRequest {
	s.Helper()
	csr, err := kubelet.Ask(s.ctx, client, template)
	s.must(err)
	return csr
}

// get returns a request as it is now.
func (s *site) get(csr *certificatesv1.CertificateSigningRequest) *certificatesv1.CertificateSigningRequest {
	s.Helper()
	now, err := env.Client().CertificatesV1().CertificateSigningRequests().Get(s.ctx, csr.Name, metav1.GetOptions{})
	s.must(err)
	return now
}

// signed waits for the certificate.
func (s *site) signed(csr *certificatesv1.CertificateSigningRequest) *certificatesv1.CertificateSigningRequest {
	s.Helper()
	s.must(controlplane.Eventually(s.ctx, func(context.Context) error {
		if csr = s.get(csr); len(csr.Status.Certificate) == 0 {
			return fmt.Errorf("%s has no certificate: %+v", csr.Name, csr.Status)
		}
		return nil
	}))
	return csr
}

// files is where a kubelet keeps its certificate.
type files struct{ got chan *tls.Certificate }

func (f files) Current() (*tls.Certificate, error) { return nil, new(manager.NoCertKeyError) }

func (f files) Update(cert, key []byte) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err == nil {
		pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0])
		f.got <- &pair
	}
	return &pair, err
}

// The kubelet's own code asks, and gets a certificate with which it can serve.
func TestKubeletGetsItsCertificate(t *testing.T) {
	s := open(t, approver)
	s.machine("m-1", "worker-1", "10.0.0.1", "2001:db8::1")
	s.machine("m-2", "worker-2", "10.0.0.2")
	s.join("worker-1", "test://m-1")
	s.join("worker-2", "test://m-2")
	client, got := s.kubelet("worker-1"), make(chan *tls.Certificate, 1)
	m, err := manager.NewManager(&manager.Config{
		ClientsetFn:      func(*tls.Certificate) (kubernetes.Interface, error) { return client, nil },
		GetTemplate:      func() *x509.CertificateRequest { return kubelet.Template("worker-1", "10.0.0.1", "2001:db8::1") },
		SignerName:       certificatesv1.KubeletServingSignerName,
		GetUsages:        manager.DefaultKubeletServingGetUsages,
		CertificateStore: files{got},
	})
	s.must(err)
	m.Start()
	defer m.Stop()
	select {
	case pair := <-got:
		roots := signer.Roots()
		for _, name := range []string{"worker-1", "10.0.0.1", "2001:db8::1"} {
			if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
				t.Error(err)
			}
		}
	case <-s.ctx.Done():
		t.Fatalf("no certificate: %v", s.outcomes)
	}
	o := s.outcome("worker-1")
	if t.Logf("approved after %v", o.Waited); o.Reason != judge.Approved || o.Err != nil {
		t.Error(o)
	}
}

func TestApprovalKeepsWhatIsInTheRequest(t *testing.T) {
	s := open(t, approver)
	s.machine("m-1", "worker-1", "10.0.0.1")
	s.join("worker-1", "test://m-1")
	csr := s.signed(s.ask(s.kubelet("worker-1"), kubelet.Template("worker-1", "10.0.0.1")))
	if csr.Annotations["kept"] != "yes" || csr.Labels["kept"] != "yes" || len(csr.Status.Conditions) != 1 {
		t.Errorf("it is now %+v", csr)
	}
}

// What somebody with the credential of one kubelet tries. NodeRestriction refuses none of it.
func TestStolenCredential(t *testing.T) {
	for what, try := range map[string]struct {
		attack func(s *site, thief kubernetes.Interface) *x509.CertificateRequest
		want   judge.Reason
	}{
		"another Node's address": {func(*site, kubernetes.Interface) *x509.CertificateRequest {
			return kubelet.Template("thief", "10.0.0.66", "10.0.0.1")
		}, judge.Contradiction},
		"an address in the status of its own Node": {func(s *site, thief kubernetes.Interface) *x509.CertificateRequest {
			node, err := thief.CoreV1().Nodes().Get(s.ctx, "thief", metav1.GetOptions{})
			s.must(err)
			node.Status.Addresses = append(node.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: "10.0.0.99"})
			_, err = thief.CoreV1().Nodes().UpdateStatus(s.ctx, node, metav1.UpdateOptions{})
			s.must(err)
			return kubelet.Template("thief", "10.0.0.99")
		}, judge.Contradiction},
		"the API server's name": {func(*site, kubernetes.Interface) *x509.CertificateRequest {
			t := kubelet.Template("thief")
			t.DNSNames = append(t.DNSNames, "kubernetes.default.svc")
			return t
		}, judge.Contradiction},
		// The Node was deleted, and its kubelet may make it again, with any provider-ID.
		"another machine's provider-ID": {func(s *site, thief kubernetes.Interface) *x509.CertificateRequest {
			s.must(env.Client().CoreV1().Nodes().Delete(s.ctx, "thief", metav1.DeleteOptions{}))
			s.must(env.Client().CoreV1().Nodes().Delete(s.ctx, "worker-1", metav1.DeleteOptions{}))
			node, err := thief.CoreV1().Nodes().Create(s.ctx, &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: "thief"}, Spec: corev1.NodeSpec{ProviderID: "test://m-1"},
			}, metav1.CreateOptions{})
			s.must(err)
			s.known("worker-1", "")
			s.known("thief", node.UID)
			return kubelet.Template("thief", "10.0.0.1")
		}, judge.MachineNamed},
		// A machine that is no Node: a bootstrap token gives its name to anybody.
		"the name of the API server's load balancer": {func(s *site, thief kubernetes.Interface) *x509.CertificateRequest {
			s.machine("m-66", "thief", "10.0.0.66", "10.0.0.100") // which the operator reserves
			return kubelet.Template("thief", "10.0.0.66")
		}, judge.Kept},
	} {
		t.Run(what, func(t *testing.T) {
			s := open(t, approver)
			s.machine("m-1", "worker-1", "10.0.0.1")
			s.machine("m-66", "thief", "10.0.0.66")
			s.join("worker-1", "test://m-1")
			s.join("thief", "test://m-66")
			thief := s.kubelet("thief")
			csr := s.ask(thief, try.attack(s, thief))
			if o := s.outcome("thief"); o.Reason != try.want {
				t.Errorf("%s, want %s", o, try.want)
			}
			if csr = s.get(csr); len(csr.Status.Conditions) > 0 {
				t.Errorf("it is decided: %+v", csr.Status)
			}
		})
	}
}

// An account without the right to approve for this signer approves nothing, and says so.
func TestRightToApproveIsNeeded(t *testing.T) {
	config := rest.CopyConfig(env.AdminConfig())
	config.Impersonate = rest.ImpersonationConfig{UserName: "reader", Groups: []string{"system:authenticated"}}
	reader, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	grant := env.ApplyManifest(t.Context(), []byte(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules:
- {apiGroups: [certificates.k8s.io], resources: [certificatesigningrequests, certificatesigningrequests/approval], verbs: [get, list, watch, patch]}
- {apiGroups: [""], resources: [nodes], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: reader}]
`))
	s := open(t, reader)
	s.must(grant)
	s.machine("m-1", "worker-1", "10.0.0.1")
	s.join("worker-1", "test://m-1")
	csr := s.ask(s.kubelet("worker-1"), kubelet.Template("worker-1", "10.0.0.1"))
	if o := s.outcome("worker-1"); o.Reason != judge.Failed || !apierrors.IsForbidden(o.Err) {
		t.Errorf("%v: %v", o, o.Err)
	}
	if csr = s.get(csr); len(csr.Status.Conditions) > 0 {
		t.Errorf("it is decided: %+v", csr.Status)
	}
}

func cloudID(n int) cloud.InstanceID { return cloud.InstanceID(fmt.Sprintf("m-%d", n)) }

func address(n int) string { return fmt.Sprintf("10.1.%d.%d", n/250, n%250+1) }

// many is how many kubelets ask at once.
const many = 300

// The requests of many kubelets, which are there when the approver starts, cost one list of machines. Those that a busy machine does not
// write within half a minute are judged again.
func TestManyAtOnce(t *testing.T) {
	s := prepare(t, approver)
	var group errgroup.Group
	group.SetLimit(16)
	name := func(n int) string { return fmt.Sprintf("worker-%d", n) }
	for n := range many {
		s.machine(cloudID(n), name(n), address(n))
		group.Go(func() error {
			_, err := env.JoinNode(s.ctx, controlplane.NodeOptions{Name: name(n), ProviderID: "test://" + string(cloudID(n)), Initialized: true})
			return err
		})
	}
	s.must(group.Wait())
	for n := range many {
		group.Go(func() error {
			config := rest.CopyConfig(env.AdminConfig())
			config.Impersonate = rest.ImpersonationConfig{UserName: "system:node:" + name(n), Groups: []string{"system:nodes", "system:authenticated"}}
			client, err := kubernetes.NewForConfig(config)
			if err == nil {
				_, err = kubelet.Ask(s.ctx, client, kubelet.Template(name(n), address(n)))
			}
			return err
		})
	}
	s.must(group.Wait())
	s.must(controlplane.Eventually(s.ctx, func(context.Context) error {
		if there := len(s.nodes.List()); there != many {
			return fmt.Errorf("%d of %d nodes are in the cache", there, many)
		}
		return nil
	}))
	began := time.Now()
	s.start()
	for n := range many {
		if o := s.outcome(name(n)); o.Reason != judge.Approved {
			t.Errorf("%s: %s", name(n), o)
		}
	}
	all, err := env.Client().CertificatesV1().CertificateSigningRequests().List(s.ctx, metav1.ListOptions{})
	s.must(err)
	for _, csr := range all.Items {
		if len(csr.Status.Conditions) != 1 || csr.Status.Conditions[0].Type != certificatesv1.CertificateApproved {
			t.Errorf("%s is %+v", csr.Name, csr.Status)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Logf("%d requests are approved after %v, with %d lists of machines", many, time.Since(began), s.lists)
	if s.lists > 5 {
		t.Errorf("%d lists of machines", s.lists)
	}
}
