package session

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// certificates are read from the files.
type certificates config.TLSFiles

// trust carries requests with the certificates of the files as they are now: those of the
// authorities are read again when their file has changed, the client's for every connection.
type trust struct {
	files   certificates
	withTLS func(*tls.Config) http.RoundTripper

	mu       sync.Mutex
	modified time.Time // of the ca-file in use
	next     http.RoundTripper
}

// CheckTLS says why every connection would fail with these files.
func CheckTLS(given config.TLSFiles) error {
	var problems []error
	files := certificates(given)
	if (files.Cert == "") != (files.Key == "") {
		problems = append(problems, config.Missing("cert-file", "want both cert-file and key-file, or neither"))
	} else if files.Cert != "" {
		_, err := files.certificate()
		problems = append(problems, err)
	}
	_, err := files.settings()
	return errors.Join(append(problems, err)...)
}

// newTrust fails where every connection would.
func newTrust(given config.TLSFiles, withTLS func(*tls.Config) http.RoundTripper) (*trust, error) {
	t := &trust{files: certificates(given), withTLS: withTLS}
	return t, cmp.Or(CheckTLS(given), t.read(t.modification()))
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
	if info, err := os.Stat(t.files.CA); err == nil {
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

func (f certificates) settings() (*tls.Config, error) {
	settings := &tls.Config{InsecureSkipVerify: f.Insecure} // as the user asks for with tls-insecure
	if f.Cert != "" {
		settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return f.certificate() }
	}
	if f.Insecure || f.CA+f.CAContent == "" {
		return settings, nil
	}
	var err error
	settings.RootCAs, err = f.authorities()
	return settings, err
}

func (f certificates) certificate() (*tls.Certificate, error) {
	certificate, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the client certificate of cert-file and key-file: %w", err)
	}
	return &certificate, nil
}

func (f certificates) authorities() (*x509.CertPool, error) {
	content := []byte(f.CAContent)
	if f.CA != "" {
		var err error
		if content, err = os.ReadFile(f.CA); err != nil {
			return nil, fmt.Errorf("reading the ca-file: %w", err)
		}
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, &cloud.Invalid{Field: config.GlobalField("ca-file"), Value: f.CA, Want: "want certificates in PEM"}
	}
	return pool, nil
}

// newHTTPClient returns a client on the kernel's transport, which limits, measures and bounds
// every request.
func newHTTPClient(c cloud.Config, files config.TLSFiles, timeout time.Duration) (http.Client, error) {
	client := *cloud.NewClient(c.Transport)
	if timeout < cloud.RequestTimeout {
		client.Timeout = timeout
	}
	if files == (config.TLSFiles{}) {
		return client, nil
	}
	t, err := newTrust(files, c.WithTLS)
	if err != nil {
		return client, fmt.Errorf("reading the certificates: %w", err)
	}
	client.Transport = t
	return client, nil
}
