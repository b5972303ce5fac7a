// Package kubelet asks the API server for what a Node's kubelet asks for, with the credential of one.
package kubelet

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// Client returns a client with the credential of a Node's kubelet.
func Client(cp *controlplane.ControlPlane, node string) (kubernetes.Interface, error) {
	path, err := cp.ClientKubeconfig("kubelet-"+node, "system:node:"+node, "system:nodes")
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of the kubelet of %s: %w", node, err)
	}
	return kubernetes.NewForConfig(config)
}

// Template is what a kubelet asks for: its Node's name and these addresses.
func Template(node string, addresses ...string) *x509.CertificateRequest {
	t := &x509.CertificateRequest{Subject: pkix.Name{CommonName: "system:node:" + node, Organization: []string{"system:nodes"}}, DNSNames: []string{node}}
	for _, address := range addresses {
		t.IPAddresses = append(t.IPAddresses, net.ParseIP(address))
	}
	return t
}

// Ask asks for a certificate to serve with.
func Ask(ctx context.Context, client kubernetes.Interface, template *x509.CertificateRequest) (*certificatesv1.CertificateSigningRequest, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	return client.CertificatesV1().CertificateSigningRequests().Create(ctx, &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "csr-", Annotations: map[string]string{"kept": "yes"}, Labels: map[string]string{"kept": "yes"}},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			SignerName: certificatesv1.KubeletServingSignerName, Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
			Usages: []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageServerAuth},
		},
	}, metav1.CreateOptions{})
}
