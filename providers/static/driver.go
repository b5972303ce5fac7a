package static

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Driver is the driver.
type Driver struct {
	settings
	// all says that every Node which waits for its cloud has a static machine.
	all bool
	// inventory is nil without a file: every such Node is known then.
	inventory cloud.Inventory
}

// New builds a driver. It reads nothing but the settings.
func New(_ context.Context, config cloud.Config) (*cloud.Driver, error) {
	s, err := read(config.Lookup)
	if err != nil {
		return nil, err
	}
	d := &Driver{settings: s, all: config.Default, inventory: config.Inventory}
	return &cloud.Driver{Account: d, Machines: cloud.MachineGroup{Instances: d, ProviderIDScope: d, Describer: d}}, nil
}

// Identity implements cloud.Account. There are no credentials, so that there is no account to be told from another.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	return cloud.Identity{Unknown: true, Region: d.region}, ctx.Err()
}

// Classify implements cloud.Account. Nothing fails here but a context.
func (d *Driver) Classify(err error) cloud.Failure { return cloud.FailureOf(err) }

// List implements cloud.Instances. No API lists machines: that none is listed proves nothing of any of them, and they are
// DescribedInstances, which are looked for in no list.
func (d *Driver) List(ctx context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Items: []cloud.Instance{}, Complete: true}, ctx.Err()
}

// Get implements cloud.Instances.
func (d *Driver) Get(ctx context.Context, _ ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return map[cloud.InstanceID]cloud.Instance{}, ctx.Err()
}

// FindByName implements cloud.Instances.
func (d *Driver) FindByName(ctx context.Context, _ string) ([]cloud.Instance, error) {
	return nil, ctx.Err()
}
