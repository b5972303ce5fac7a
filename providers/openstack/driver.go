package openstack

import (
	"context"
	"errors"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/session"
)

// Driver is one project of an OpenStack cloud, in one region.
type Driver struct {
	*session.Services
	config config.Config
	// cloud is the name of the configuration's entry, for the owner marks.
	cloud string
	// clusterName is --cluster-name, a part of the names upstream gives.
	clusterName string
	// regional says to write the region into provider-IDs.
	regional bool
}

var (
	_ cloud.New       = New
	_ cloud.Driver    = (*Driver)(nil)
	_ cloud.Instances = (*Driver)(nil)
)

// New implements cloud.New. It reports every problem of the configuration at once, logs in and
// asks the APIs for what they can do: one token, and three requests.
func New(ctx context.Context, c cloud.Config) (cloud.Driver, error) {
	r, err := config.NewReader(c)
	if err != nil {
		return nil, err
	}
	k, warnings, err := r.Read()
	for _, warning := range warnings {
		c.Warn(warning)
	}
	if err := errors.Join(err, option.Check(k)); err != nil {
		return nil, err
	}
	services, err := session.Open(ctx, c, r, k)
	if err != nil {
		return nil, err
	}
	d := &Driver{Services: services, config: k, cloud: c.Cloud, clusterName: c.ClusterName, regional: r.Settings.Regional}
	return d.enabled(c.Warn), nil
}

// balancing is what the driver has for balancers.
type balancing interface {
	cloud.Composite
	cloud.BulkLister
	cloud.Configured
	cloud.Checker
	cloud.Replacer
}

// enabled returns the driver with what is switched on. The kernel finds that by type assertion,
// so what is off must not be there.
func (d *Driver) enabled(warn func(string)) cloud.Driver {
	if d.config.Router != "" && !d.Extension["extraroute"] && !d.Extension["extraroute-atomic"] {
		warn("[Route] router-id has no effect: the network API has no extension extraroute")
		d.config.Router = ""
	}
	switch hasRoutes := d.config.Router != ""; {
	case d.config.Balancer.Enabled && hasRoutes:
		return d
	case d.config.Balancer.Enabled:
		return struct {
			cloud.Driver
			balancing
		}{d, d}
	case hasRoutes:
		return struct {
			cloud.Driver
			cloud.Routes
		}{d, d}
	default:
		return struct{ cloud.Driver }{d}
	}
}

// Identity implements cloud.Driver: the project the token is for.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	project, err := d.CheckToken(ctx)
	if err != nil {
		return cloud.Identity{}, err
	}
	return cloud.Identity{Account: project, Region: d.config.Global.Region}, nil
}

// Instances implements cloud.Driver.
func (d *Driver) Instances() cloud.Instances { return d }

// Classify implements cloud.Driver.
func (d *Driver) Classify(err error) cloud.Failure { return api.Classify(err) }

// Defaults implements cloud.Configured: what [LoadBalancer] says of all balancers.
func (d *Driver) Defaults() map[string]string { return option.Defaults(d.config.Balancer) }
