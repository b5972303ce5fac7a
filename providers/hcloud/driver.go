package hcloud

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/network"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/robot"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/server"
)

// Driver is one project, seen with one token, and the dedicated servers of one Robot account.
type Driver struct {
	*server.Machines
	*balancer.Balancers
	*network.Routes
	api.Actions
	settings config.Settings
}

var _ cloud.New = New

// Check returns what is wrong with the environment.
func Check(c cloud.Config) error {
	_, _, err := configure(c)
	return err
}

// configure reads the environment: the settings, and what they say in the place of annotations.
func configure(c cloud.Config) (s config.Settings, defaults map[string]string, err error) {
	s, err = config.Read(c)
	defaults, wrong := desired.ReadDefaults(c.Lookup, s.Network)
	return s, defaults, errors.Join(err, wrong)
}

// New implements cloud.New. It reports every problem of the environment at once, and reads the network,
// and whether this machine is in it.
func New(ctx context.Context, c cloud.Config) (*cloud.Driver, error) {
	s, defaults, err := configure(c)
	if err != nil {
		return nil, fmt.Errorf("reading the settings of Hetzner: %w", err)
	}
	client := api.New(c, s)
	id, err := findNetwork(ctx, client, s.Network)
	if err == nil && id != 0 && s.AttachedCheck {
		err = checkAttached(ctx, c, s.MetadataURL, id)
	}
	if err != nil {
		return nil, err
	}
	d := &Driver{
		Machines: &server.Machines{API: client, Settings: s, Network: id}, Balancers: &balancer.Balancers{API: client, Configuration: desired.Configuration{Default: defaults, Network: id}},
		Routes: &network.Routes{API: client, ID: id}, Actions: api.Actions{API: client}, settings: s,
	}
	if s.Robot.Credentials {
		d.Robot = robot.New(c, s.Robot.BaseURL)
	}
	return d.handOver(), nil
}

// findNetwork returns the id of the network of the configuration, which is an id or a name; 0 for none.
func findNetwork(ctx context.Context, client *hcloud.Client, idOrName string) (int64, error) {
	if idOrName == "" {
		return 0, nil
	}
	found, _, err := client.Network.Get(ctx, idOrName)
	switch {
	case err != nil:
		return 0, &cloud.Error{Failure: api.Classify(err), Op: "reading the network of " + config.EnvNetwork, Err: err}
	case found == nil:
		return 0, &cloud.Invalid{Field: config.EnvNetwork, Value: idOrName, Want: "want the id or name of a network of the token's project"}
	case found.ID == 0:
		return 0, fmt.Errorf("reading the network of %s: %w", config.EnvNetwork, cloud.ErrIncomplete)
	}
	return found.ID, nil
}

// handOver hands the parts that are switched on over to the kernel.
func (d *Driver) handOver() *cloud.Driver {
	m, b := d.Machines, d.Balancers
	driver := &cloud.Driver{
		Account:    d,
		Operations: d.Actions,
		Machines: cloud.MachineGroup{
			Instances: m, ProviderIDScope: m, Partition: m, NodeIdentity: m, Describer: m, Completer: m,
		},
	}
	if d.settings.Balancers {
		driver.Balancers = &cloud.BalancerGroup{
			Composite: b, Defaults: b.Default,
			TargetLimit: b, Reach: b, Validator: b, Recorder: b, BulkLister: b, OwnedLister: b, NetworkReader: cloud.NetworkOf[[]*hcloud.LoadBalancerType]{Reader: b},
		}
	}
	if d.settings.Routes {
		driver.Routes = &cloud.RouteGroup{Routes: d.Routes, RouteScope: d.Routes}
	}
	return driver
}

// Identity implements cloud.Account. The API has no call that names the project. Ids of networks are
// unique over all projects, so that only a token of the same project sees ours. Without a network
// nothing is there in every project and stays as it is: a token is exchanged for another one of the same
// project.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	routes := d.Routes
	if routes.ID == 0 {
		_, _, err := routes.API.Location.List(ctx, hcloud.LocationListOpts{ListOpts: hcloud.ListOpts{Page: 1, PerPage: 1}})
		if err != nil {
			return cloud.Identity{}, api.Failed("checking the token", err)
		}
		return cloud.Identity{Unknown: true}, nil
	}
	if _, err := routes.Read(ctx); err != nil {
		return cloud.Identity{}, fmt.Errorf("finding out whose the token is: %w", err)
	}
	return cloud.Identity{Account: "network " + strconv.FormatInt(routes.ID, 10)}, nil
}

// Classify implements cloud.Account.
func (d *Driver) Classify(err error) cloud.Failure { return api.Classify(err) }

// Annotations returns the provider's annotations.
func Annotations() annotation.Set { return desired.Annotations() }
