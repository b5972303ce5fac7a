package digitalocean

import (
	"fmt"
	"net/http"
)

// Types of a certificate.
const (
	CertificateCustom      = "custom"
	CertificateLetsEncrypt = "lets_encrypt"
)

// Certificate is a TLS certificate as the API shows it.
type Certificate struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	NotAfter        string   `json:"not_after"`
	SHA1Fingerprint string   `json:"sha1_fingerprint"`
	CreatedAt       string   `json:"created_at"`
	DNSNames        []string `json:"dns_names"`
	State           string   `json:"state"`
	Type            string   `json:"type"`
}

// AddCertificate adds a verified certificate and returns it. kind is
// CertificateCustom or CertificateLetsEncrypt.
func (a *Account) AddCertificate(name, kind string, dnsNames ...string) Certificate {
	var added Certificate
	a.change(func() { added = a.addCertificate(name, kind, dnsNames) })
	return added
}

func (a *Account) addCertificate(name, kind string, dnsNames []string) Certificate {
	id := a.server.newUUID()
	now := a.server.options.Now().UTC()
	c := Certificate{
		ID: id, Name: name, Type: kind, State: "verified", DNSNames: append([]string{}, dnsNames...),
		SHA1Fingerprint: fmt.Sprintf("%040x", a.server.serials.resource),
		CreatedAt:       a.server.timestamp(), NotAfter: now.AddDate(0, 3, 0).Format("2006-01-02T15:04:05Z"),
	}
	a.certificates = append(a.certificates, c)
	return c
}

// RotateCertificate does what the cloud does when it renews a Let's Encrypt
// certificate: the old id disappears, a new one with the same name and type
// takes its place, and balancers use the new id.
func (a *Account) RotateCertificate(id string) (Certificate, error) {
	var rotated Certificate
	var err error
	a.change(func() {
		old := a.findCertificate(id)
		if old == nil || old.Type != CertificateLetsEncrypt {
			err = fmt.Errorf("%s is no Let's Encrypt certificate", id)
			return
		}
		name, names := old.Name, old.DNSNames
		a.removeCertificate(id)
		rotated = a.addCertificate(name, CertificateLetsEncrypt, names)
		for _, b := range a.balancers {
			b.replaceCertificate(id, rotated.ID)
		}
	})
	return rotated, err
}

// RemoveCertificate deletes a certificate, used or not.
func (a *Account) RemoveCertificate(id string) { a.change(func() { a.removeCertificate(id) }) }

func (a *Account) removeCertificate(id string) {
	kept := a.certificates[:0:0]
	for _, c := range a.certificates {
		if c.ID != id {
			kept = append(kept, c)
		}
	}
	a.certificates = kept
}

func (a *Account) findCertificate(id string) *Certificate {
	for i := range a.certificates {
		if a.certificates[i].ID == id {
			return &a.certificates[i]
		}
	}
	return nil
}

// listCertificates: name= matches the whole name.
func (a *Account) listCertificates(r *http.Request) (reply, error) {
	name := r.URL.Query().Get("name")
	matches := []Certificate{}
	for _, c := range a.certificates {
		if name == "" || c.Name == name {
			matches = append(matches, c)
		}
	}
	return paged(r, "certificates", matches), nil
}

func (a *Account) getCertificate(r *http.Request) (reply, error) {
	c := a.findCertificate(r.PathValue("id"))
	if c == nil {
		return reply{}, notFound()
	}
	return reply{body: map[string]any{"certificate": c}}, nil
}
