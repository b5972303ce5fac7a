package digitalocean

import (
	"fmt"
	"net/http"
	"slices"
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

// Certificates are the account's.
type Certificates struct {
	account *Account
	all     []Certificate
}

// Add adds a verified certificate and returns it. kind is
// CertificateCustom or CertificateLetsEncrypt.
func (cs *Certificates) Add(name, kind string, dnsNames ...string) Certificate {
	var added Certificate
	cs.account.change(func() { added = cs.add(name, kind, dnsNames) })
	return added
}

func (cs *Certificates) add(name, kind string, dnsNames []string) Certificate {
	id := cs.account.server.newUUID()
	now := cs.account.server.options.Now().UTC()
	c := Certificate{
		ID: id, Name: name, Type: kind, State: "verified", DNSNames: append([]string{}, dnsNames...),
		SHA1Fingerprint: fmt.Sprintf("%040x", cs.account.server.serials.resource),
		CreatedAt:       cs.account.server.timestamp(), NotAfter: now.AddDate(0, 3, 0).Format("2006-01-02T15:04:05Z"),
	}
	cs.all = append(cs.all, c)
	return c
}

// Rotate does what the cloud does when it renews a Let's Encrypt
// certificate: the old id disappears, a new one with the same name and type
// takes its place, and balancers use the new id.
func (cs *Certificates) Rotate(id string) (Certificate, error) {
	var rotated Certificate
	var err error
	cs.account.change(func() {
		old := cs.find(id)
		if old == nil || old.Type != CertificateLetsEncrypt {
			err = fmt.Errorf("%s is no Let's Encrypt certificate", id)
			return
		}
		name, names := old.Name, old.DNSNames
		cs.remove(id)
		rotated = cs.add(name, CertificateLetsEncrypt, names)
		for _, b := range cs.account.LoadBalancers.all {
			b.replaceCertificate(id, rotated.ID)
		}
	})
	return rotated, err
}

// Remove deletes a certificate, used or not.
func (cs *Certificates) Remove(id string) { cs.account.change(func() { cs.remove(id) }) }

func (cs *Certificates) remove(id string) {
	cs.all = slices.DeleteFunc(slices.Clone(cs.all), func(c Certificate) bool { return c.ID == id })
}

func (cs *Certificates) find(id string) *Certificate {
	for i := range cs.all {
		if cs.all[i].ID == id {
			return &cs.all[i]
		}
	}
	return nil
}

// list: name= matches the whole name.
func (cs *Certificates) list(r *http.Request) (reply, error) {
	name := r.URL.Query().Get("name")
	matches := []Certificate{}
	for _, c := range cs.all {
		if name == "" || c.Name == name {
			matches = append(matches, c)
		}
	}
	return paged(r, "certificates", matches), nil
}

func (cs *Certificates) get(r *http.Request) (reply, error) {
	c := cs.find(r.PathValue("id"))
	if c == nil {
		return reply{}, notFound()
	}
	return reply{body: map[string]any{"certificate": c}}, nil
}
