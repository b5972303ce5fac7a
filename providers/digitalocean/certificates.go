package digitalocean

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// lookupCertificate is the id of the certificate that Observe settled on.
	lookupCertificate = "certificate"
	// lookupNoCertificates says that the token may not read certificates.
	lookupNoCertificates = "certificatesForbidden"
)

// certificateID returns the id of the certificate of TLS listeners, "" when there is none.
func certificateID(spec cloud.Spec) string {
	return cmp.Or(spec.Lookups[lookupCertificate], keyCertificateID.In(spec.Options))
}

// addCertificate finds out which certificate a REGIONAL balancer shall have. A token that may
// not read certificates is a fact and no error: it must not keep a balancer from deletion.
func (d *Driver) addCertificate(ctx context.Context, spec cloud.Spec, lb *godo.LoadBalancer, o *cloud.Observed) error {
	facts := map[string]string{}
	maps.Copy(facts, o.Lookups)
	spec.Lookups = facts
	if s, _ := d.shapeOf(spec); s.kind != typeRegional {
		return nil
	}
	c, err := d.certificate(ctx, spec, lb)
	if cloud.FailureUnauthorized == d.Classify(err).Class {
		facts[lookupNoCertificates] = "true"
	} else if err != nil {
		return err
	}
	if c.id != "" {
		facts[lookupCertificate] = c.id
	}
	if c.rotated {
		o.Record = map[string]string{keyCertificateID.Name: c.id}
	}
	o.Lookups = facts
	return nil
}

// certificate is what was found out about a balancer's certificate.
type certificate struct {
	id string
	// rotated says that the Service's annotation names the predecessor of id.
	rotated bool
}

// certificate settles which certificate the balancer shall have. DigitalOcean replaces a
// Let's Encrypt certificate by a new one, with another id and the same name, and puts it on
// the balancer; then the annotation is out of date, not the balancer.
//
//	balancer has             the Service's one    result
//	none, or the same        -                    the Service's
//	gone or not LE           -                    the Service's: somebody else put it there
//	a Let's Encrypt one      gone                 the balancer's, recorded
//	a Let's Encrypt one      has the same name    the balancer's, recorded
//	a Let's Encrypt one      has another name     the Service's: the user changed it
func (d *Driver) certificate(ctx context.Context, spec cloud.Spec, lb *godo.LoadBalancer) (certificate, error) {
	wanted, err := d.wantedCertificate(ctx, spec)
	present := presentCertificate(lb)
	if err != nil || wanted == "" || present == "" || wanted == present {
		return certificate{id: wanted}, err
	}
	installed, err := d.readCertificate(ctx, present)
	if err != nil || installed == nil || installed.Type != "lets_encrypt" {
		return certificate{id: wanted}, err
	}
	named, err := d.readCertificate(ctx, wanted)
	if err != nil || (named != nil && named.Name != installed.Name) {
		return certificate{id: wanted}, err
	}
	// A certificate given by name needs no record: the name leads to the new one.
	return certificate{id: present, rotated: keyCertificateID.In(spec.Options) != ""}, nil
}

// wantedCertificate returns the id the Service asks for, by id or by name. A name nobody has
// is "": Normalize refuses it.
func (d *Driver) wantedCertificate(ctx context.Context, spec cloud.Spec) (string, error) {
	name := keyCertificateName.In(spec.Options)
	if id := keyCertificateID.In(spec.Options); id != "" || name == "" {
		return id, nil
	}
	all, err := pages(func(o *godo.ListOptions) ([]godo.Certificate, *godo.Response, error) {
		return d.api.Certificates.ListByName(ctx, url.QueryEscape(name), o)
	})
	if err != nil {
		return "", fmt.Errorf("looking for certificate %q: %w", name, err)
	}
	for _, c := range all.items {
		if c.Name == name {
			return c.ID, nil
		}
	}
	return "", nil
}

// presentCertificate returns the first certificate among the rules of a balancer.
func presentCertificate(lb *godo.LoadBalancer) string {
	if lb == nil {
		return ""
	}
	for _, r := range lb.ForwardingRules {
		if r.CertificateID != "" {
			return r.CertificateID
		}
	}
	return ""
}

// readCertificate returns nil when there is no such certificate.
func (d *Driver) readCertificate(ctx context.Context, id string) (*godo.Certificate, error) {
	if !isIdentifier(id) {
		return nil, nil
	}
	c, _, err := d.api.Certificates.Get(ctx, id)
	if d.isNotFound(err) {
		return nil, nil
	}
	if err == nil && c == nil {
		err = errUnreadable
	}
	if err != nil {
		return nil, fmt.Errorf("reading certificate %s: %w", id, err)
	}
	return c, nil
}
