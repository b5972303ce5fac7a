package openstack

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// tlsFiles say whom to trust and how to be trusted.
type tlsFiles struct {
	ca, caContent string
	cert, key     string
	insecure      bool
}

// settings returns the settings of TLS, nil for the defaults. The files are read for every new
// connection, so that renewed certificates are used without a restart.
func (f tlsFiles) settings() (*tls.Config, error) {
	if f == (tlsFiles{}) {
		return nil, nil
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.cert != "" {
		settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return f.certificate() }
	}
	switch {
	case f.insecure:
		settings.InsecureSkipVerify = true
	case f.ca+f.caContent != "":
		// A pool of authorities cannot be exchanged; the check that would use it can be made
		// here, with the authorities of this moment.
		settings.InsecureSkipVerify = true
		settings.VerifyConnection = f.verify
	}
	return settings, nil
}

// check reports at start what would fail at every connection.
func (f tlsFiles) check() error {
	var problems []error
	if (f.cert == "") != (f.key == "") {
		problems = append(problems, missing("cert-file", "want both cert-file and key-file, or neither"))
	} else if f.cert != "" {
		_, err := f.certificate()
		problems = append(problems, err)
	}
	if f.ca+f.caContent != "" && !f.insecure {
		_, err := f.authorities()
		problems = append(problems, err)
	}
	return errors.Join(problems...)
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

// verify does what crypto/tls does by itself with a fixed pool.
func (f tlsFiles) verify(state tls.ConnectionState) error {
	pool, err := f.authorities()
	if err != nil {
		return err
	}
	o := x509.VerifyOptions{DNSName: state.ServerName, Roots: pool, Intermediates: x509.NewCertPool()}
	for _, certificate := range state.PeerCertificates[1:] {
		o.Intermediates.AddCert(certificate)
	}
	if _, err := state.PeerCertificates[0].Verify(o); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
	}
	return nil
}
