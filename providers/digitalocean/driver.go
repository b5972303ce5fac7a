package digitalocean

import (
	"context"
	"fmt"
	"net/http"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Driver is one DigitalOcean team, seen with one token.
type Driver struct {
	api      *godo.Client
	settings settings
	// cloud is the name of the configuration's entry, for the owner marks.
	cloud string
}

var (
	_ cloud.New        = New
	_ cloud.Driver     = (*Driver)(nil)
	_ cloud.Instances  = (*Driver)(nil)
	_ cloud.Balancers  = (*Driver)(nil)
	_ cloud.BulkLister = (*Driver)(nil)
	_ cloud.Firewalls  = (*Driver)(nil)
)

// New implements cloud.New. It reports every problem of the environment at once, and reads
// the network only for the region.
func New(ctx context.Context, c cloud.Config) (cloud.Driver, error) {
	s, err := readSettings(c)
	if err != nil {
		return nil, fmt.Errorf("reading the settings of DigitalOcean: %w", err)
	}
	api, err := newClient(c, s.baseURL)
	if err != nil {
		return nil, fmt.Errorf("building the API client: %w", err)
	}
	d := &Driver{api: api, settings: s, cloud: c.Cloud}
	d.settings.region, err = d.resolveRegion(ctx, c.Transport)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Identity implements cloud.Driver: the team the token belongs to.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	account, response, err := d.api.Account.Get(ctx)
	switch {
	case err != nil && response != nil && response.StatusCode == http.StatusForbidden:
		return cloud.Identity{}, fmt.Errorf("reading the account, for which the token needs the scope account:read: %w", err)
	case err != nil:
		return cloud.Identity{}, fmt.Errorf("reading the account: %w", err)
	}
	if account == nil || account.UUID == "" {
		return cloud.Identity{}, fmt.Errorf("reading the account: %w", errUnreadable)
	}
	id := account.UUID
	if account.Team != nil && account.Team.UUID != "" {
		id = account.Team.UUID
	}
	return cloud.Identity{Account: id, Region: d.settings.region}, nil
}

// Instances implements cloud.Driver.
func (d *Driver) Instances() cloud.Instances { return d }
