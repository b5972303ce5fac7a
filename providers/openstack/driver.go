package openstack

import (
	"context"
	"errors"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/nova"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/route"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/session"
)

// Driver is one project of an OpenStack cloud, in one region.
type Driver struct {
	*nova.Machines
	*route.Table
	*octavia.Balancers
	services *session.Services
	config   config.Config
}

var _ cloud.New = New

// New implements cloud.New. It reports every problem of the configuration at once, logs in and
// asks the APIs for what they can do: one token, and three requests.
func New(ctx context.Context, c cloud.Config) (*cloud.Driver, error) {
	r, k, err := configure(c)
	if err != nil {
		return nil, err
	}
	services, err := session.Open(ctx, c, r, k)
	if err != nil {
		return nil, &cloud.Error{Failure: api.Classify(err), Op: "open a session", Err: err}
	}
	d := wireDriver(services, k, r.Settings.Regional, c.ClusterName, c.Cloud)
	return d.handOver(c.Warn), nil
}

// Check returns what is wrong with the configuration and the files that it names.
func Check(c cloud.Config) error {
	_, _, err := configure(c)
	return err
}

// configure reads cloud.conf, the environment, and the files that they name.
func configure(c cloud.Config) (config.Reader, config.Config, error) {
	r, err := config.NewReader(c)
	if c.File == nil {
		return r, config.Config{}, err
	}
	k, warnings, wrong := r.Read()
	for _, warning := range warnings {
		c.Warn(warning)
	}
	return r, k, errors.Join(err, wrong, option.Check(k), session.CheckTLS(k.Access.Global.TLS))
}

// wireDriver gives each part its clients and settings.
func wireDriver(s *session.Services, k config.Config, regional bool, clusterName, cloudName string) *Driver {
	m := nova.New(s.Compute, s.Network, nova.Settings{Region: k.Global.Region, Regional: regional, Networking: k.Networking})
	return &Driver{
		Machines: m, Table: route.New(s.Network, m, k.Router, s.Extension), Balancers: octavia.New(octavia.Clients{Balancer: s.Balancer, Network: s.Network, Secrets: s.Secrets}, octavia.Settings{
			Balancer: k.Balancer, Classes: k.Classes, ClusterName: clusterName, Cloud: cloudName, Project: s.Project, Version: s.Octavia,
		}),
		services: s, config: k,
	}
}

// handOver hands the parts that are switched on over to the kernel.
func (d *Driver) handOver(warn func(string)) *cloud.Driver {
	driver := &cloud.Driver{
		Account:  d,
		Machines: cloud.MachineGroup{Instances: d.Machines, ProviderIDScope: d.Machines},
	}
	if b := d.Balancers; d.config.Balancer.Enabled {
		driver.Operations = b
		driver.Balancers = &cloud.BalancerGroup{
			Composite: b, Defaults: b.Defaults(), Impossible: b.Impossible(),
			Reach: b, Validator: b, Checker: b, Replacer: b, BulkLister: b, OwnedLister: b, NetworkReader: cloud.NetworkOf[string]{Reader: b},
		}
	}
	switch {
	case d.config.Router == "":
	case d.Able():
		driver.Routes = &cloud.RouteGroup{Routes: d.Table}
	default:
		warn("[Route] router-id has no effect: the network API has no extension extraroute")
	}
	return driver
}

// Identity implements cloud.Account: the project the token is for.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	project, err := d.services.CheckToken(ctx)
	if err != nil {
		return cloud.Identity{}, err
	}
	return cloud.Identity{Account: project, Region: d.config.Global.Region}, nil
}

// Classify implements cloud.Account.
func (d *Driver) Classify(err error) cloud.Failure { return api.Classify(err) }
