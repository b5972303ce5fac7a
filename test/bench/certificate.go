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

// certificates has the kubelets of all Nodes ask at once.
func (r *run) certificates(ctx context.Context) error {
	if err := r.allowApprovals(ctx); err != nil {
		return err
	}
	m := r.now()
	p, err := r.start(certificatesProcess, "--controllers=*,"+controller.KubeletCertificate)
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := within(ctx, p, 10*time.Minute)
	defer cancel()
	if err := r.afterStart(ctx, p, m); err != nil {
		return err
	}
	return r.approveAll(ctx, p)
}

// allowApprovals gives the account the rights that are shipped.
func (r *run) allowApprovals(ctx context.Context) error {
	root, err := ccm.Root()
	if err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join(root, "config", "rbac", "kubelet-serving-certificate.yaml"))
	if err != nil {
		return fmt.Errorf("reading the rights to approve: %w", err)
	}
	return r.lab.ApplyManifest(ctx, manifest)
}

func (r *run) approveAll(ctx context.Context, p *ccm.Process) error {
	nodes, err := r.lab.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	before, err := p.Memory()
	if err != nil {
		return err
	}
	m := r.now()
	var group errgroup.Group
	group.SetLimit(parallel)
	for _, node := range nodes.Items {
		group.Go(func() error { return r.askFor(ctx, &node) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := controlplane.Eventually(ctx, func(ctx context.Context) error { return r.allApproved(ctx, len(nodes.Items)) }); err != nil {
		return err
	}
	result := &r.result.Certificates
	result.Requests, result.Seconds, result.Calls = len(nodes.Items), time.Since(m.at).Seconds(), r.calls(m)
	after, err := p.Memory()
	if err != nil {
		return err
	}
	result.MemoryMB = float64(after.Peak-before.Peak) / 1e6
	_, err = r.end(context.WithoutCancel(ctx), certificatesProcess, p)
	return err
}

// askFor asks for what a Node's kubelet asks for, with its credential.
func (r *run) askFor(ctx context.Context, node *corev1.Node) error {
	config := rest.CopyConfig(r.lab.AdminConfig())
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:node:" + node.Name, Groups: []string{"system:nodes", "system:authenticated"}}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	var addresses []string
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP || a.Type == corev1.NodeExternalIP {
			addresses = append(addresses, a.Address)
		}
	}
	_, err = kubelet.Ask(ctx, client, kubelet.Template(node.Name, addresses...))
	return err
}

func (r *run) allApproved(ctx context.Context, want int) error {
	list, err := r.lab.Client().CertificatesV1().CertificateSigningRequests().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
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
