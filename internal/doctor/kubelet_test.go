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
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/recorder"
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

// Nobody is said to approve nothing of whose judgement there is an event of the controller's own.
func TestWhoApproves(t *testing.T) {
	asked := now.Add(-time.Hour)
	said := func(component string, at time.Time) []corev1.Event {
		return []corev1.Event{{
			Reason: event.CertificateWaits.Name, Message: "why", LastTimestamp: metav1.NewTime(at),
			InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "a"}, Source: corev1.EventSource{Component: component},
		}}
	}
	for name, tt := range map[string]struct {
		runs    bool
		events  []corev1.Event
		nobody  bool
		because bool
	}{
		"it does not run":       {false, nil, true, false},
		"it runs":               {true, nil, false, false},
		"it runs, and says why": {true, said(recorder.Component, now), false, true},
		"another one than by these flags says why": {false, said(recorder.Component, asked), false, true},
		"it ran when the Node asked before":        {false, said(recorder.Component, asked.Add(-time.Minute)), true, true},
		"somebody else's event":                    {false, said("kubelet", now), true, false},
	} {
		f := &facts{Options: Options{Cloud: fake(driver{}), Patience: DefaultPatience}, now: now}
		f.Manager.Enabled = map[string]bool{controller.KubeletCertificate: tt.runs}
		f.nodes.value, f.events.value = []*corev1.Node{node("a", "fake://1", time.Hour)}, tt.events
		f.certificates.value = map[string]*certificatesv1.CertificateSigningRequest{
			"a": {ObjectMeta: metav1.ObjectMeta{Name: "csr-1", CreationTimestamp: metav1.NewTime(asked)}},
		}
		got := judgeCertificates(f)
		if nobody := strings.Contains(got.Message, "approves none"); got.Level != Warning || nobody != tt.nobody || nobody != strings.Contains(got.Fix, "--controllers='*,kubelet-serving-certificate'") {
			t.Errorf("%s: %+v", name, got)
		}
		if len(got.Evidence) != 1 || strings.Contains(got.Evidence[0], "why") != tt.because {
			t.Errorf("%s: evidence %q", name, got.Evidence)
		}
	}
}
