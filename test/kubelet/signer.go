package kubelet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// Signer is an authority of its own for the certificates that kubelets serve with.
type Signer struct {
	Certificate *x509.Certificate
	// CertFile and KeyFile are the paths of its certificate and its key.
	CertFile, KeyFile string
}

// NewSigner makes one whose files are in a folder. It ends after a day.
func NewSigner(dir string) (*Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubelet-serving"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding a key: %w", err)
	}
	s := &Signer{CertFile: filepath.Join(dir, "signer.crt"), KeyFile: filepath.Join(dir, "signer.key")}
	if s.Certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("reading a certificate: %w", err)
	}
	return s, errors.Join(
		os.WriteFile(s.CertFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(s.KeyFile, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), 0o600))
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
