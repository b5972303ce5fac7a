package openstack

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
)

// NewCertificate puts a self-signed certificate for a host into barbican, as a container of
// type certificate, and returns its reference.
func (p *Project) NewCertificate(t testing.TB, host string) string {
	t.Helper()
	certificate, key, err := selfSigned(host)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	var parts []object
	for _, part := range []struct{ name, kind, payload string }{
		{"certificate", "certificate", certificate}, {"private_key", "private", key},
	} {
		ref, err := p.store(ctx, "secrets", "secret_ref", object{
			"name": host, "secret_type": part.kind, "payload": part.payload, "payload_content_type": "text/plain",
		})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, object{"name": part.name, "secret_ref": ref})
	}
	ref, err := p.store(ctx, "containers", "container_ref", object{"name": host, "type": "certificate", "secret_refs": parts})
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// store posts to barbican, whose bodies are not wrapped, and returns the reference it gives.
func (p *Project) store(ctx context.Context, path, ref string, body object) (string, error) {
	var answer object
	_, err := p.KeyManager.Post(ctx, p.KeyManager.ServiceURL(path), body, &answer, &gophercloud.RequestOpts{OkCodes: []int{201}})
	if err != nil {
		return "", fmt.Errorf("storing in %s: %w", path, err)
	}
	return text(answer, ref), nil
}

// selfSigned makes a certificate and its key, in PEM.
func selfSigned(host string) (certificate, key string, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", fmt.Errorf("making a key: %w", err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, private.Public(), private)
	if err != nil {
		return "", "", fmt.Errorf("making a certificate: %w", err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", fmt.Errorf("encoding a key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})), nil
}
