package hcloud

import (
	"slices"
	"time"
)

// Certificate is a certificate as the API shows it.
type Certificate struct {
	ID             int64              `json:"id"`
	Name           string             `json:"name"`
	Labels         map[string]string  `json:"labels"`
	Type           string             `json:"type"`
	Certificate    *string            `json:"certificate"`
	Created        time.Time          `json:"created"`
	NotValidBefore *time.Time         `json:"not_valid_before"`
	NotValidAfter  *time.Time         `json:"not_valid_after"`
	DomainNames    []string           `json:"domain_names"`
	Fingerprint    *string            `json:"fingerprint"`
	Status         *CertificateStatus `json:"status"`
	UsedBy         []resource         `json:"used_by"`
}

// CertificateStatus is that of a managed certificate.
type CertificateStatus struct {
	Issuance string     `json:"issuance"` // pending, completed, failed
	Renewal  string     `json:"renewal"`  // scheduled, pending, failed, unavailable
	Error    *errorView `json:"error"`
}

// The types of certificates.
const (
	uploaded = "uploaded"
	managed  = "managed"
)

func (c *Certificate) id() int64 { return c.ID }

func (c *Certificate) resource() resource { return resource{c.ID, "certificate"} }

// issued says whether a balancer can use the certificate.
func (c *Certificate) issued() bool { return c.Status == nil || c.Status.Issuance == "completed" }

var certificateList = listing[*Certificate]{
	name: "certificates",
	order: map[string]func(a, b *Certificate) int{
		"id": by((*Certificate).id), "name": by(func(c *Certificate) string { return c.Name }),
		"created": byTime(func(c *Certificate) time.Time { return c.Created }),
	},
	nameOf:   func(c *Certificate) string { return c.Name },
	labelsOf: func(c *Certificate) map[string]string { return c.Labels },
	filters:  map[string]func(*Certificate, string) bool{"type": func(c *Certificate, kind string) bool { return c.Type == kind }},
}

var certificateRoutes = map[string]handler{
	"GET /certificates":                     listCertificates,
	"POST /certificates":                    createCertificate,
	"GET /certificates/{id}":                getCertificate,
	"PUT /certificates/{id}":                updateCertificate,
	"DELETE /certificates/{id}":             deleteCertificate,
	"GET /certificates/{id}/actions":        listCertificateActions,
	"POST /certificates/{id}/actions/retry": retryCertificate,
}

var certificateRules = []Rule{
	{ID: "certificate/name-taken", Where: "POST /certificates PUT /certificates/{id}", Text: "a certificate's name is unique in the project", Source: fromUpstream, Status: 409, Code: "uniqueness_error"},
	{ID: "certificate/type", Where: "POST /certificates", Text: "the type is uploaded, the default, or managed", Source: fromVendor},
	{ID: "certificate/uploaded", Where: "POST /certificates", Text: "an uploaded certificate has a chain and the key of it in PEM, and no domain names", Source: fromVendor},
	{ID: "certificate/managed", Where: "POST /certificates", Text: "a managed certificate has domain names, and neither chain nor key", Source: fromVendor},
	{ID: "certificate/wildcard", Where: "POST /certificates", Text: "a domain name of a managed certificate may begin with *.", Source: guess, IfWrong: "wildcards are refused with invalid_input", Silent: true},
	{ID: "certificate/in-use", Where: "DELETE /certificates/{id}", Text: "no load balancer uses the certificate", Source: guess, IfWrong: "another code, or the balancer loses it: the driver takes it off all services first", Status: 422, Code: "resource_in_use"},
	{ID: "certificate/retry", Where: "POST /certificates/{id}/actions/retry", Text: "the certificate is a managed one whose issuance failed", Source: fromVendor, Status: 422, Code: "unsupported_error"},
	{ID: "certificate/issuance", Where: "POST /certificates", Text: "a managed certificate is issued by an action of its own and is pending until it ends; when it fails the certificate stays, with the error", Source: fromVendor, Silent: true},
}

func (p *Project) certificateView(c *Certificate) Certificate {
	out := *c
	out.UsedBy = []resource{}
	for _, b := range p.balancers.all {
		if b.uses(c.ID) {
			out.UsedBy = append(out.UsedBy, b.resource())
		}
	}
	if c.Status != nil {
		status := *c.Status
		out.Status = &status
	}
	return out
}

func (b *Balancer) uses(certificate int64) bool {
	return slices.ContainsFunc(b.Services, func(s Service) bool {
		return s.HTTP != nil && slices.Contains(s.HTTP.Certificates, certificate)
	})
}

func listCertificates(c *call) (reply, error) {
	return certificateList.answer(c, c.project.certificates.all, func(one *Certificate) any { return c.project.certificateView(one) })
}

func (c *call) certificate() (*Certificate, error) {
	return found(c, c.project.certificates, "certificate")
}

func (c *call) certificateReply(one *Certificate) reply {
	return reply{body: map[string]any{"certificate": c.project.certificateView(one)}}
}

func getCertificate(c *call) (reply, error) {
	one, err := c.certificate()
	if err != nil {
		return reply{}, err
	}
	return c.certificateReply(one), nil
}

func listCertificateActions(c *call) (reply, error) {
	one, err := c.certificate()
	if err != nil {
		return reply{}, err
	}
	var all []*action
	for _, a := range c.server.actions {
		if a.project == c.project && slices.Contains(a.Resources, one.resource()) {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, by((*action).id))
	return actionList.answer(c, all, func(a *action) any { return a })
}

func updateCertificate(c *call) (reply, error) {
	one, err := c.certificate()
	if err != nil {
		return reply{}, err
	}
	var body renaming
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	var f fieldErrors
	body.check(&f)
	if err := f.problem(); err != nil {
		return reply{}, err
	}
	if body.Name != nil {
		if err := c.project.certificateNameFree(*body.Name, one.ID); err != nil {
			return reply{}, err
		}
		one.Name = *body.Name
	}
	set(&one.Labels, body.Labels)
	return c.certificateReply(one), nil
}

func (p *Project) certificateNameFree(name string, but int64) error {
	if slices.ContainsFunc(p.certificates.all, func(c *Certificate) bool { return c.Name == name && c.ID != but }) {
		return broken("certificate/name-taken", "name is already used")
	}
	return nil
}

func deleteCertificate(c *call) (reply, error) {
	one, err := c.certificate()
	if err != nil {
		return reply{}, err
	}
	if err := c.free(one.resource()); err != nil {
		return reply{}, err
	}
	if len(c.project.certificateView(one).UsedBy) > 0 {
		return reply{}, broken("certificate/in-use", "certificate is still in use")
	}
	c.project.certificates.remove(one.ID)
	return reply{}, nil
}
