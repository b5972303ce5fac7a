package openstack

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// tlsFiles say whom to trust and how to be trusted.
type tlsFiles struct {
	ca, caContent string
	cert, key     string
	insecure      bool
}

// trust carries requests with the certificates of the files as they are now: those of the
// authorities are read again when their file has changed, the client's for every connection.
type trust struct {
	files   tlsFiles
	withTLS func(*tls.Config) http.RoundTripper

	mu       sync.Mutex
	modified time.Time // of the ca-file in use
	next     http.RoundTripper
}

// newTrust fails where every connection would.
func newTrust(files tlsFiles, withTLS func(*tls.Config) http.RoundTripper) (*trust, error) {
	var problems []error
	if (files.cert == "") != (files.key == "") {
		problems = append(problems, missing("cert-file", "want both cert-file and key-file, or neither"))
	} else if files.cert != "" {
		_, err := files.certificate()
		problems = append(problems, err)
	}
	t := &trust{files: files, withTLS: withTLS}
	return t, errors.Join(append(problems, t.read(t.modification()))...)
}

// RoundTrip implements http.RoundTripper.
func (t *trust) RoundTrip(request *http.Request) (*http.Response, error) {
	return t.current().RoundTrip(request)
}

// current returns the transport for this moment. A file that cannot be read does not take away
// what was read before: it may be in the middle of being replaced.
func (t *trust) current() http.RoundTripper {
	t.mu.Lock()
	defer t.mu.Unlock()
	if modified := t.modification(); !modified.Equal(t.modified) {
		_ = t.read(modified)
	}
	return t.next
}

// modification is when the ca-file was changed last, zero where there is none.
func (t *trust) modification() time.Time {
	if info, err := os.Stat(t.files.ca); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

func (t *trust) read(modified time.Time) error {
	settings, err := t.files.settings()
	if err != nil {
		return err
	}
	t.next, t.modified = t.withTLS(settings), modified
	return nil
}

func (f tlsFiles) settings() (*tls.Config, error) {
	settings := &tls.Config{InsecureSkipVerify: f.insecure} // as the user asks for with tls-insecure
	if f.cert != "" {
		settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return f.certificate() }
	}
	if f.insecure || f.ca+f.caContent == "" {
		return settings, nil
	}
	var err error
	settings.RootCAs, err = f.authorities()
	return settings, err
}

func (f tlsFiles) certificate() (*tls.Certificate, error) {
	certificate, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("reading the client certificate of cert-file and key-file: %w", err)
	}
	return &certificate, nil
}

func (f tlsFiles) authorities() (*x509.CertPool, error) {
	content := []byte(f.caContent)
	if f.ca != "" {
		var err error
		if content, err = os.ReadFile(f.ca); err != nil {
			return nil, fmt.Errorf("reading the ca-file: %w", err)
		}
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, &cloud.Invalid{Field: globalField("ca-file"), Value: f.ca, Want: "want certificates in PEM"}
	}
	return pool, nil
}
