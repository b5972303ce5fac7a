package openstack

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{certificate, key}
}

func (a authority) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw}))
}

func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// issue returns a certificate for an address and its key in PEM.
func (a authority) issue(t *testing.T, ip string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.ParseIP(ip)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, private.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
}

// secureCloud serves TLS with a certificate of that authority for an address, and asks for
// certificates of clients when an authority of theirs is given.
func secureCloud(t *testing.T, server authority, ip string, clients *authority) *fakeCloud {
	t.Helper()
	f := unstartedCloud(t)
	f.present(t, server, ip)
	settings := func() *tls.Config {
		s := &tls.Config{Certificates: []tls.Certificate{*f.certificate.Load()}}
		if clients != nil {
			s.ClientAuth, s.ClientCAs = tls.RequireAndVerifyClientCert, clients.pool()
		}
		return s
	}
	f.TLS = settings()
	f.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return settings(), nil }
	f.StartTLS()
	return f
}

// present makes the server show a new certificate from now on.
func (f *fakeCloud) present(t *testing.T, by authority, ip string) {
	t.Helper()
	pair, err := tls.X509KeyPair(pemPair(by.issue(t, ip)))
	if err != nil {
		t.Fatal(err)
	}
	f.certificate.Store(&pair)
	f.CloseClientConnections()
}

func pemPair(certificate, key string) ([]byte, []byte) { return []byte(certificate), []byte(key) }

func TestWhoIsTrusted(t *testing.T) {
	own, other := newAuthority(t), newAuthority(t)
	certificate, key := own.issue(t, "127.0.0.1")
	folder := t.TempDir()
	path := func(name, content string) string {
		path := filepath.Join(folder, name)
		replace(t, path, content)
		return path
	}
	ours, theirs := path("own", own.pem()), path("other", other.pem())
	client := "\ncert-file=" + path("cert", certificate) + "\nkey-file=" + path("key", key)
	tests := []struct {
		name, global string
		ip           string
		clients      bool
		works        bool
	}{
		{"unknown authority", "", "127.0.0.1", false, false},
		{"its authority", "ca-file=" + ours, "127.0.0.1", false, true},
		{"another authority", "ca-file=" + theirs, "127.0.0.1", false, false},
		{"its authority, another server", "ca-file=" + ours, "127.0.0.2", false, false},
		{"anybody", "tls-insecure=true", "127.0.0.2", false, true},
		{"almost anybody", "tls-insecure=1", "127.0.0.1", false, false},
		{"anybody but for the ca-file that is not read then", "tls-insecure=true\nca-file=" + theirs, "127.0.0.1", false, true},
		{"client without certificate", "ca-file=" + ours, "127.0.0.1", true, false},
		{"client with certificate", "ca-file=" + ours + client, "127.0.0.1", true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var clients *authority
			if tt.clients {
				clients = &own
			}
			f := secureCloud(t, own, tt.ip, clients)
			_, err := open(t, file(t, f.conf(byPassword+"\n"+tt.global)))
			if (err == nil) != tt.works {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Certificates of authorities and of the client are replaced in their files, as Kubernetes
// does it in a mounted Secret.
func TestRenewedCertificates(t *testing.T) {
	before, after := newAuthority(t), newAuthority(t)
	f := secureCloud(t, before, "127.0.0.1", nil)
	trusted := file(t, before.pem())
	if err := os.Chtimes(trusted, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	d, err := open(t, file(t, f.conf(byPassword+"\nca-file="+trusted)))
	if err != nil {
		t.Fatal(err)
	}
	f.present(t, after, "127.0.0.1")
	if _, err := d.Identity(t.Context()); err == nil {
		t.Fatal("the new authority is trusted before it is in the file")
	}
	replace(t, trusted, after.pem())
	if _, err := d.Identity(t.Context()); err != nil {
		t.Errorf("with the new file: %v", err)
	}
	replace(t, trusted, "half of it")
	if err := os.Chtimes(trusted, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	f.present(t, after, "127.0.0.1")
	if _, err := d.Identity(t.Context()); err != nil {
		t.Errorf("with an unreadable file: %v", err)
	}
}
