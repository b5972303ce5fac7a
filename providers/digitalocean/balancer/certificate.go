package balancer

import (
	"context"
	"fmt"
	"net/url"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// addCertificate finds out which certificate a REGIONAL balancer shall have. A token that may
// not read certificates is a fact and no error: it must not keep a balancer from deletion.
func (l *Balancers) addCertificate(ctx context.Context, spec cloud.Spec, lb *godo.LoadBalancer, o *cloud.Observed) error {
	if o.Lookups == nil {
		o.Lookups = map[string]string{}
	}
	spec.Lookups = o.Lookups
	if s, _ := l.ShapeOf(spec); s.Kind != config.TypeRegional {
		return nil
	}
	c, err := l.certificate(ctx, spec, lb)
	if cloud.FailureUnauthorized == api.Classify(err).Class {
		o.Lookups[lookupNoCertificates] = "true"
	} else if err != nil {
		return err
	}
	if c.id != "" {
		o.Lookups[LookupCertificate] = c.id
	}
	if c.rotated {
		o.Record = map[string]string{KeyCertificateID.Name: c.id}
	}
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
func (l *Balancers) certificate(ctx context.Context, spec cloud.Spec, lb *godo.LoadBalancer) (certificate, error) {
	wanted, err := l.wantedCertificate(ctx, spec)
	present := presentCertificate(lb)
	if err != nil || wanted == "" || present == "" || wanted == present {
		return certificate{id: wanted}, err
	}
	installed, err := l.readCertificate(ctx, present)
	if err != nil || installed == nil || installed.Type != "lets_encrypt" {
		return certificate{id: wanted}, err
	}
	named, err := l.readCertificate(ctx, wanted)
	if err != nil || (named != nil && named.Name != installed.Name) {
		return certificate{id: wanted}, err
	}
	// A certificate given by name needs no record: the name leads to the new one. One given portably
	// has none either: upstream's key would stand above what its user writes next.
	return certificate{id: present, rotated: KeyCertificateID.In(spec.Options) != ""}, nil
}

// wantedCertificate returns the id the Service asks for, by id or by name. A name nobody has
// is "": Normalize refuses it.
func (l *Balancers) wantedCertificate(ctx context.Context, spec cloud.Spec) (string, error) {
	name := KeyCertificateName.In(spec.Options)
	if id := givenCertificate(spec.Options); id != "" || name == "" {
		return id, nil
	}
	all, err := api.Pages(func(o *godo.ListOptions) ([]godo.Certificate, *godo.Response, error) {
		return l.API.Certificates.ListByName(ctx, url.QueryEscape(name), o)
	})
	if err != nil {
		return "", fmt.Errorf("looking for certificate %q: %w", name, err)
	}
	for _, c := range all.Items {
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
func (l *Balancers) readCertificate(ctx context.Context, id string) (*godo.Certificate, error) {
	if !identifier.IsIdentifier(id) {
		return nil, nil
	}
	c, _, err := l.API.Certificates.Get(ctx, id)
	if api.IsNotFound(err) {
		return nil, nil
	}
	if err == nil && (c == nil || c.ID != id) {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, fmt.Errorf("reading certificate %s: %w", id, err)
	}
	return c, nil
}
