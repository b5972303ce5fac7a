package digitalocean

import (
	"context"
	"fmt"
	"net/http"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/droplet"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/firewall"
)

// Driver is one DigitalOcean team, seen with one token.
type Driver struct {
	*droplet.Machines
	*firewall.Firewalls
	*balancer.Balancers
	account godo.AccountService
	region  string
}

var _ cloud.New = New

// Check returns what is wrong with the environment.
func Check(c cloud.Config) error {
	_, err := config.Read(c)
	return err
}

// New implements cloud.New. It reports every problem of the environment at once, and reads
// the network only for the region.
func New(ctx context.Context, c cloud.Config) (*cloud.Driver, error) {
	s, err := config.Read(c)
	if err != nil {
		return nil, fmt.Errorf("reading the settings of DigitalOcean: %w", err)
	}
	client, err := api.New(c, s.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("building the API client: %w", err)
	}
	if s.Region, err = resolveRegion(ctx, c.Transport, client, s); err != nil {
		return nil, err
	}
	return wire(client, s, c.Cloud).handOver(), nil
}

// wire gives each part its client and settings; cloud is the name of the configuration's entry.
func wire(client *godo.Client, s config.Settings, cloud string) *Driver {
	return &Driver{
		account: client.Account, region: s.Region,
		Machines:  &droplet.Machines{API: client.Droplets},
		Firewalls: &firewall.Firewalls{API: client.Firewalls, Name: s.FirewallName, Tags: s.FirewallTags},
		Balancers: &balancer.Balancers{
			API:          api.NewLoadBalancers(client),
			Tagging:      owner.Client{API: client.Tags},
			Certificates: certificate.Finder{API: client.Certificates},
			Rules: desired.Rules{
				Region: s.Region, DefaultType: s.DefaultType, VPC: s.Vpc,
				Tags: owner.Tags{Upstream: s.ClusterTag, Cloud: cloud},
			},
		},
	}
}

// handOver hands the parts over to the kernel. There is a firewall where the configuration names one.
func (d *Driver) handOver() *cloud.Driver {
	b, firewalls := d.Balancers, d.Firewalls
	driver := &cloud.Driver{
		Account:  d,
		Machines: cloud.MachineGroup{Instances: d.Machines},
		Balancers: &cloud.BalancerGroup{
			Whole: b, Reach: b, Validator: b, Checker: b, Replacer: b, BulkLister: b, OwnedLister: b,
		},
	}
	if firewalls.Name != "" {
		driver.Firewalls = firewalls
	}
	return driver
}

// Identity implements cloud.Account: the team the token belongs to.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	account, response, err := d.account.Get(ctx)
	switch {
	case err != nil && response != nil && response.StatusCode == http.StatusForbidden:
		return cloud.Identity{}, fmt.Errorf("reading the account, for which the token needs the scope account:read: %w", err)
	case err != nil:
		return cloud.Identity{}, fmt.Errorf("reading the account: %w", err)
	}
	if account == nil || account.UUID == "" {
		return cloud.Identity{}, fmt.Errorf("reading the account: %w", cloud.ErrIncomplete)
	}
	id := account.UUID
	if account.Team != nil && account.Team.UUID != "" {
		id = account.Team.UUID
	}
	return cloud.Identity{Account: id, Region: d.region}, nil
}

// Classify implements cloud.Account.
func (d *Driver) Classify(err error) cloud.Failure { return api.Classify(err) }

// Annotations returns the provider's annotations.
func Annotations() annotation.Set { return desired.Annotations() }

// ReadOnly says which requests only read.
func ReadOnly(r *http.Request) bool { return balancer.ReadOnly(r) }
