package doctor

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// listening serves with a certificate, or without any, until the test ends, as the kubelet of a Node.
func listening(t *testing.T, name string, certificate func() (*tls.Certificate, error)) *corev1.Node {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return certificate() }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.(*tls.Conn).Handshake()
		}
	}()
	return kubeletAt(name, listener.Addr().(*net.TCPAddr).Port)
}

func kubeletAt(name string, port int) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}, {Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
	return node
}

// A kubelet's own authority is told from others, and what serves nothing yet from what cannot be reached.
func TestAskKubelets(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unreached := kubeletAt("away", closed.Addr().(*net.TCPAddr).Port)
	closed.Close()
	certPEM, keyPEM, err := cert.GenerateSelfSignedCertKey("own", nil, nil) // as a kubelet does
	if err != nil {
		t.Fatal(err)
	}
	own, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	signed := server.TLS.Certificates[0]
	if k3s := (&x509.Certificate{Subject: pkix.Name{CommonName: "node-1"}, Issuer: pkix.Name{CommonName: "k3s-server-ca@1742309831"}}); isSelfSigned(k3s) {
		t.Error("k3s' authority is taken for a kubelet's own")
	}
	got := askKubelets(t.Context(), []*corev1.Node{
		listening(t, "own", func() (*tls.Certificate, error) { return &own, nil }),
		listening(t, "signed", func() (*tls.Certificate, error) { return &signed, nil }),
		listening(t, "waits", func() (*tls.Certificate, error) {
			return nil, errors.New("no serving certificate available for the kubelet")
		}),
		unreached,
	})
	if selfSigned, away := strings.Join(got.selfSigned, " "), strings.Join(got.unreached, " "); selfSigned != "own" || away != "away" {
		t.Errorf("self-signed %q, not reached %q", selfSigned, away)
	}
}

func TestJudgeKubelets(t *testing.T) {
	for name, test := range map[string]struct {
		of   kubelets
		want string
	}{
		"all are signed":        {kubelets{}, "ok no kubelet waits for the certificate that it serves with"},
		"some sign themselves":  {kubelets{[]string{"a", "b"}, nil}, "warning the certificates of kubelets are approved, but these sign theirs themselves: a, b"},
		"some were not reached": {kubelets{nil, []string{"a"}}, "ok no kubelet waits for the certificate that it serves with; not reached from here: a"},
		"both":                  {kubelets{[]string{"a"}, []string{"b"}}, "warning the certificates of kubelets are approved, but these sign theirs themselves: a"},
	} {
		f := &facts{kubelets: test.of}
		f.Cloud, f.Manager.Enabled = &run.Cloud{}, map[string]bool{controller.KubeletCertificate: true}
		if got := judgeCertificates(f); string(got.Level)+" "+got.Message != test.want {
			t.Errorf("%s: %s %s, want %s", name, got.Level, got.Message, test.want)
		}
	}
}
