package kubelet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// Signer is an authority of its own for the certificates that kubelets serve with.
type Signer struct {
	Certificate *x509.Certificate
	// CertFile and KeyFile are the paths of its certificate and its key.
	CertFile, KeyFile string
}

// NewSigner makes one whose files are in a folder.
func NewSigner(dir string) (*Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	private, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return nil, fmt.Errorf("encoding a key: %w", err)
	}
	s := &Signer{CertFile: filepath.Join(dir, "signer.crt"), KeyFile: filepath.Join(dir, "signer.key")}
	if s.Certificate, err = cert.NewSelfSignedCACert(cert.Config{CommonName: "kubelet-serving"}, key); err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	encoded, err := cert.EncodeCertificates(s.Certificate)
	if err != nil {
		return nil, fmt.Errorf("encoding a certificate: %w", err)
	}
	return s, errors.Join(cert.WriteCert(s.CertFile, encoded), keyutil.WriteKey(s.KeyFile, private))
}

// ControllerManagerArgs have kube-controller-manager sign with it.
func (s *Signer) ControllerManagerArgs() []string {
	return []string{"--cluster-signing-kubelet-serving-cert-file=" + s.CertFile, "--cluster-signing-kubelet-serving-key-file=" + s.KeyFile}
}

// Roots are what a client trusts that believes this authority alone.
func (s *Signer) Roots() *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate)
	return roots
}
