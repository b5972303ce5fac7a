package cluster_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubelet"
)

// verified is a cluster whose API server verifies the certificates of kubelets.
type verified struct {
	*cluster.Cluster
	cloud  *install.Sim
	helm   *install.Helm
	signer *kubelet.Signer
	node   *cluster.Node
}

// A kubelet asks for the certificate that it serves with, and the release approves what the cloud says. A certificate lasts two minutes.
func TestKubeletCertificate(t *testing.T) {
	signer, err := kubelet.NewSigner(t.TempDir())
	must(t, err)
	c := start(t, cluster.Options{Nodes: 1, KubeletArgs: []string{"--rotate-server-certificates"}, ControlPlane: controlplane.Options{
		APIServerArgs:         []string{"--kubelet-certificate-authority=" + signer.CertFile},
		ControllerManagerArgs: append(signer.ControllerManagerArgs(), "--cluster-signing-duration=2m"),
	}})
	s := &verified{Cluster: c, signer: signer, node: c.Nodes()[0]}
	s.cloud, err = install.OpenSim(c)
	must(t, err)
	t.Cleanup(s.cloud.Close)
	s.helm = prepare(t, c, s.cloud)
	must(t, install.LabelControlPlane(within(t, patience), c))
	var first, second *x509.Certificate
	for _, chapter := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"nobody approves", s.wait},
		{"the release does", func(t *testing.T) { first = s.approve(t) }},
		{"logs and exec", s.ask},
		{"it is renewed", func(t *testing.T) { second = s.renewed(t, first) }},
		{"an address that the machine gets is in the next one", func(t *testing.T) { s.join(t, second) }},
	} {
		if !t.Run(chapter.name, chapter.run) {
			return
		}
	}
}

// requests returns those of the kubelet, the newest last.
func (s *verified) requests(ctx context.Context) ([]certificatesv1.CertificateSigningRequest, error) {
	list, err := s.Client().CertificatesV1().CertificateSigningRequests().List(ctx, metav1.ListOptions{
		FieldSelector: "spec.signerName=" + certificatesv1.KubeletServingSignerName,
	})
	if err != nil {
		return nil, fmt.Errorf("listing requests: %w", err)
	}
	slices.SortFunc(list.Items, func(a, b certificatesv1.CertificateSigningRequest) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	return list.Items, nil
}

// wait is as it is without an approver: the kubelet has asked, and refuses connections because it has no certificate.
func (s *verified) wait(t *testing.T) {
	eventually(t, func(ctx context.Context) error {
		all, err := s.requests(ctx)
		if err == nil && (len(all) != 1 || len(all[0].Status.Conditions) > 0) {
			err = fmt.Errorf("the requests of the kubelet: %+v", all)
		}
		if err != nil {
			return err
		}
		_, err = s.served(ctx)
		switch {
		case isAlert(err):
			return nil
		case err == nil:
			return errors.New("the kubelet serves with a certificate that nobody has approved")
		}
		return err
	})
}

// isAlert reports whether the other side has ended a handshake.
func isAlert(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "remote error"
}

// served returns the certificate that the kubelet serves with, if it is one for its name and address.
func (s *verified) served(ctx context.Context) (*x509.Certificate, error) {
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: s.signer.Roots(), ServerName: s.node.Name()}}
	connection, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.node.Address().String(), "10250"))
	if err != nil {
		return nil, fmt.Errorf("connecting to the kubelet: %w", err)
	}
	defer connection.Close()
	certificate := connection.(*tls.Conn).ConnectionState().PeerCertificates[0]
	return certificate, certificate.VerifyHostname(s.node.Address().String())
}

// approve installs the release with the controller.
func (s *verified) approve(t *testing.T) (first *x509.Certificate) {
	_, err := s.helm.Install(within(t, patience), s.cloud, "--wait", "--timeout=2m",
		"--set", "controllers.kubeletServingCertificate.enabled=true,extraArgs.node-status-update-frequency=5s")
	must(t, err)
	initialised(t, s.Cluster, s.node.Name())
	began := time.Now()
	eventually(t, func(ctx context.Context) (err error) {
		first, err = s.served(ctx)
		return err
	})
	t.Logf("the kubelet serves with its certificate %.1f s after the Node was initialised", time.Since(began).Seconds())
	all, err := s.requests(within(t, patience))
	must(t, err)
	node, err := s.Client().CoreV1().Nodes().Get(within(t, patience), s.node.Name(), metav1.GetOptions{})
	must(t, err)
	for _, request := range all {
		t.Logf("requested at %v, %+v; the Node is of %v", request.CreationTimestamp, request.Status.Conditions, node.CreationTimestamp)
	}
	return first
}

// ask goes through the API server to the kubelet: for what the release's pod has logged, and to run a program in it, which tells of the
// kubelet's request.
func (s *verified) ask(t *testing.T) {
	pods, err := install.Pods(within(t, patience), s.Cluster)
	must(t, err)
	log, err := podLog(within(t, patience), s.Cluster, pods[0])
	if err != nil || log == "" {
		t.Errorf("the log of %s: %q, %v", pods[0].Name, log, err)
	}
	eventually(t, func(ctx context.Context) error { // the next request may have just been made
		out, err := exec.CommandContext(ctx, s.Binaries().Kubectl, "--kubeconfig="+s.AdminKubeconfig(), "--namespace="+install.Namespace,
			"exec", pods[0].Name, "--", "/cloud-controller-manager", "explain", "node", s.node.Name()).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Serving certificate") || !strings.Contains(string(out), "approved") {
			return fmt.Errorf("kubectl exec: %w\n%s", err, out)
		}
		return nil
	})
}

// renewed waits for another certificate.
func (s *verified) renewed(t *testing.T, before *x509.Certificate) (next *x509.Certificate) {
	t.Helper()
	eventually(t, func(ctx context.Context) (err error) {
		if next, err = s.served(ctx); err == nil && next.SerialNumber.Cmp(before.SerialNumber) == 0 {
			err = fmt.Errorf("it is the one until %v", next.NotAfter)
		}
		return err
	})
	return next
}

// join gives the machine a public address, which the Node and then the certificate have to have. Of private ones the Node has the
// kubelet's --node-ip alone.
func (s *verified) join(t *testing.T, before *x509.Certificate) {
	const added = "203.0.113.9"
	if before.VerifyHostname(added) == nil {
		t.Fatalf("%s is in the certificate before the machine has it", added)
	}
	machine := s.cloud.Machines[s.node.Name()]
	machine.Addresses = append(machine.Addresses, api.Address{Kind: api.AddressPublic, IP: added})
	_, err := s.cloud.EditMachine(machine)
	must(t, err)
	_, err = s.WaitNode(within(t, patience), s.node.Name(), func(node *corev1.Node) error {
		if !slices.Contains(node.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeExternalIP, Address: added}) {
			return fmt.Errorf("the Node has %v", node.Status.Addresses)
		}
		return nil
	})
	must(t, err)
	began := time.Now()
	eventually(t, func(ctx context.Context) error {
		certificate, err := s.served(ctx)
		if err == nil {
			err = certificate.VerifyHostname(added)
		}
		return err
	})
	t.Logf("it is in the certificate %.1f s after the Node has it", time.Since(began).Seconds())
}
