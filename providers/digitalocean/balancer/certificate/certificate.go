// Package certificate finds the certificate of a load balancer.
package certificate

import (
	"context"
	"fmt"
	"net/url"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// Finder reads certificates.
type Finder struct{ API godo.CertificatesService }

// Find returns the id of the certificate that the balancer shall have, "" for none. The Service asks for one by id, or else
// by name; present is the one that the balancer has.
//
// DigitalOcean replaces a Let's Encrypt certificate by a new one, with another id and the same name, and puts it on
// the balancer; then the annotation is out of date, not the balancer.
//
//	balancer has             the Service's one    result
//	none, or the same        -                    the Service's
//	gone or not LE           -                    the Service's: somebody else put it there
//	a Let's Encrypt one      gone                 the balancer's
//	a Let's Encrypt one      has the same name    the balancer's
//	a Let's Encrypt one      has another name     the Service's: the user changed it
func (f Finder) Find(ctx context.Context, id, name, present string) (string, error) {
	wanted, err := f.resolve(ctx, id, name)
	if err != nil || wanted == "" || present == "" || wanted == present {
		return wanted, err
	}
	installed, err := f.Read(ctx, present)
	if err != nil || installed == nil || installed.Type != "lets_encrypt" {
		return wanted, err
	}
	named, err := f.Read(ctx, wanted)
	if err != nil || (named != nil && named.Name != installed.Name) {
		return wanted, err
	}
	return present, nil
}

// resolve returns the id that is asked for. A name nobody has is "".
func (f Finder) resolve(ctx context.Context, id, name string) (string, error) {
	if id != "" || name == "" {
		return id, nil
	}
	all, err := api.Pages(func(o *godo.ListOptions) ([]godo.Certificate, *godo.Response, error) {
		return f.API.ListByName(ctx, url.QueryEscape(name), o)
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

// Read returns nil when there is no such certificate.
func (f Finder) Read(ctx context.Context, id string) (*godo.Certificate, error) {
	if !identifier.IsIdentifier(id) {
		return nil, nil
	}
	c, _, err := f.API.Get(ctx, id)
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
