package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubelet"
)

// Certificates is what it takes to approve one request for a serving certificate of each Node's kubelet, all made at once.
type Certificates struct {
	Calls    Calls `json:"calls"`
	Requests int   `json:"requests"`
	// Seconds are from the first request to the last approval.
	Seconds float64 `json:"seconds"`
	// MemoryMB is by how much the peak memory of the process grew meanwhile.
	MemoryMB float64 `json:"memoryMB"`
}

const (
	// certificateCalls are promised besides two lists, certificateSeconds for all of them, and certificateMB.
	certificateCalls, certificateSeconds, certificateMB = 10, 60, 5
	certificatesProcess                                 = "certificates"
)

// asking has the kubelets of all Nodes ask at once.
type asking struct{ *run }

// certificates measures what that takes.
func (a asking) certificates(ctx context.Context) error {
	if err := a.allowApprovals(ctx); err != nil {
		return err
	}
	m := a.now()
	p, err := a.start(certificatesProcess, "--controllers=*,"+controller.KubeletCertificate)
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := within(ctx, p, 10*time.Minute)
	defer cancel()
	if err := a.afterStart(ctx, p, m); err != nil {
		return err
	}
	return a.approveAll(ctx, p)
}

// allowApprovals gives the account the rights that are shipped.
func (a asking) allowApprovals(ctx context.Context) error {
	root, err := ccm.Root()
	if err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join(root, "config", "rbac", "kubelet-serving-certificate.yaml"))
	if err != nil {
		return fmt.Errorf("reading the rights to approve: %w", err)
	}
	return a.lab.ApplyManifest(ctx, manifest)
}

func (a asking) approveAll(ctx context.Context, p *ccm.Process) error {
	nodes, err := a.lab.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	before, err := p.Memory()
	if err != nil {
		return err
	}
	m := a.now()
	var group errgroup.Group
	group.SetLimit(parallel)
	for _, node := range nodes.Items {
		group.Go(func() error { return a.askFor(ctx, &node) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := controlplane.Eventually(ctx, func(ctx context.Context) error { return a.allApproved(ctx, len(nodes.Items)) }); err != nil {
		return err
	}
	result := &a.result.Certificates
	result.Requests, result.Seconds, result.Calls = len(nodes.Items), time.Since(m.at).Seconds(), a.calls(m)
	after, err := p.Memory()
	if err != nil {
		return err
	}
	result.MemoryMB = float64(after.Peak-before.Peak) / 1e6
	_, err = a.end(context.WithoutCancel(ctx), certificatesProcess, p)
	return err
}

// askFor asks for what a Node's kubelet asks for, with its credential.
func (a asking) askFor(ctx context.Context, node *corev1.Node) error {
	config := rest.CopyConfig(a.lab.AdminConfig())
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:node:" + node.Name, Groups: []string{"system:nodes", "system:authenticated"}}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	var addresses []string
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP || address.Type == corev1.NodeExternalIP {
			addresses = append(addresses, address.Address)
		}
	}
	_, err = kubelet.Ask(ctx, client, kubelet.Template(node.Name, addresses...))
	return err
}

func (a asking) allApproved(ctx context.Context, want int) error {
	list, err := a.lab.Client().CertificatesV1().CertificateSigningRequests().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("listing requests: %w", err)
	}
	approved := 0
	for _, csr := range list.Items {
		if len(csr.Status.Conditions) == 1 && csr.Status.Conditions[0].Type == certificatesv1.CertificateApproved {
			approved++
		}
	}
	if approved < want {
		return fmt.Errorf("%d of %d requests are approved", approved, want)
	}
	return nil
}
