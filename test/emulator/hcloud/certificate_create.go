package hcloud

import (
	"crypto/sha1" //nolint:gosec // the API's fingerprints are SHA-1
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"
)

type certificateRequest struct {
	Name        string             `json:"name"`
	Type        *string            `json:"type"`
	DomainNames []string           `json:"domain_names"`
	Certificate *string            `json:"certificate"`
	PrivateKey  *string            `json:"private_key"`
	Labels      *map[string]string `json:"labels"`
}

func createCertificate(c *call) (reply, error) {
	var body certificateRequest
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	one, err := body.certificate()
	if err != nil {
		return reply{}, err
	}
	if err := c.project.certificateNameFree(one.Name, 0); err != nil {
		return reply{}, err
	}
	one.ID, one.Created = c.server.newID("certificate"), c.server.now()
	c.project.certificates.put(one)
	view := c.project.certificateView(one)
	if one.Type == uploaded {
		return accepted("certificate", view, nil), nil
	}
	a := c.issue("create_certificate", one)
	return accepted("certificate", view, &a), nil
}

// certificate checks the form of a request and returns the certificate it asks for.
func (r *certificateRequest) certificate() (*Certificate, error) {
	var f fieldErrors
	one := &Certificate{Name: r.Name, Type: uploaded, Labels: map[string]string{}, DomainNames: r.DomainNames}
	set(&one.Type, r.Type)
	set(&one.Labels, r.Labels)
	f.name(one.Name)
	f.labels(one.Labels)
	switch one.Type {
	case uploaded:
		r.upload(one, &f)
	case managed:
		one.Status = &CertificateStatus{Issuance: "pending", Renewal: "unavailable"}
		f.check(r.Certificate == nil && r.PrivateKey == nil, "certificate/managed", "certificate", "is not for managed certificates")
		f.check(len(r.DomainNames) > 0, "certificate/managed", "domain_names", "is required")
		for _, name := range r.DomainNames {
			f.check(domainName.MatchString(name), "certificate/managed", "domain_names", "%q is no domain name", name)
		}
	default:
		f.add("certificate/type", "type", "is none of uploaded, managed")
	}
	return one, f.problem()
}

// upload reads the chain and the key.
func (r *certificateRequest) upload(one *Certificate, f *fieldErrors) {
	f.check(len(r.DomainNames) == 0, "certificate/uploaded", "domain_names", "is for managed certificates")
	if r.Certificate == nil || r.PrivateKey == nil {
		f.add("certificate/uploaded", "certificate", "certificate and private_key are required")
		return
	}
	pair, err := tls.X509KeyPair([]byte(*r.Certificate), []byte(*r.PrivateKey))
	if err != nil {
		f.add("certificate/uploaded", "certificate", "%v", err)
		return
	}
	one.describe(pair.Leaf)
	one.Certificate = r.Certificate
}

// describe sets what the API reads out of a certificate.
func (c *Certificate) describe(leaf *x509.Certificate) {
	sum := sha1.Sum(leaf.Raw) //nolint:gosec // the API's fingerprints are SHA-1
	text := fmt.Sprintf("%x", sum)
	c.DomainNames, c.Fingerprint = append([]string{}, leaf.DNSNames...), &text
	c.NotValidBefore, c.NotValidAfter = &leaf.NotBefore, &leaf.NotAfter
}

// issue starts the issuance of a managed certificate.
func (c *call) issue(command string, one *Certificate) action {
	one.Status.Issuance, one.Status.Error = "pending", nil
	return c.begin(&action{
		Command: command, Resources: []resource{one.resource()}, failed: one.fail,
		plan: func() (func(), error) { return func() { one.complete(c.server.now()) }, nil },
	}, c.server.options.IssueDelay)
}

// complete is the end of an issuance; the certificate's text is a placeholder.
func (c *Certificate) complete(now time.Time) {
	text, fingerprint := fmt.Sprintf("-----BEGIN CERTIFICATE-----\n%d\n-----END CERTIFICATE-----\n", c.ID), fmt.Sprintf("%040x", c.ID)
	end := now.AddDate(0, 0, 90)
	c.Certificate, c.Fingerprint, c.NotValidBefore, c.NotValidAfter = &text, &fingerprint, &now, &end
	c.Status.Issuance, c.Status.Renewal = "completed", "scheduled"
}

// fail is the end of an issuance that did not succeed.
func (c *Certificate) fail(why actionError) {
	c.Status.Issuance, c.Status.Error = "failed", &errorView{Code: why.Code, Message: why.Message}
}

func retryCertificate(c *call) (reply, error) {
	one, err := c.certificate()
	if err == nil {
		err = c.empty()
	}
	if err == nil {
		err = c.free(one.resource())
	}
	switch {
	case err != nil:
		return reply{}, err
	case one.Status == nil || one.Status.Issuance != "failed":
		return reply{}, broken("certificate/retry", "the certificate's issuance has not failed")
	}
	return actionReply(c.issue("issue_certificate", one), nil)
}

// AddCertificate adds an uploaded certificate past all rules and returns it.
func (p *Project) AddCertificate(name string, domains ...string) Certificate {
	one := &Certificate{Name: name, Type: uploaded, Labels: map[string]string{}, DomainNames: append([]string{}, domains...)}
	p.server.change(func() {
		one.ID, one.Created = p.server.newID("certificate"), p.server.now()
		text := "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
		end := one.Created.AddDate(1, 0, 0)
		one.Certificate, one.NotValidBefore, one.NotValidAfter = &text, &one.Created, &end
		p.certificates.put(one)
	})
	return *one
}
