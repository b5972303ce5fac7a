package sim

import (
	"context"
	"fmt"
	"regexp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/static"
)

var providerID = regexp.MustCompile(`^sim://[a-z0-9-]+/([a-z0-9-]+)$`)

// ParseProviderID implements cloud.Instances.
func (d *Driver) ParseProviderID(id string) (cloud.InstanceID, error) {
	if match := providerID.FindStringSubmatch(id); match != nil && !static.Concerns(id) {
		return cloud.InstanceID(match[1]), nil
	}
	return "", fmt.Errorf("provider id %q is not of the form sim://<zone>/<machine id>", id)
}

// List implements cloud.Instances.
func (d *Driver) List(ctx context.Context) (cloud.InstanceList, error) { return d.list(ctx, "") }

// FindByName implements cloud.Instances.
func (d *Driver) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	list, err := d.list(ctx, name)
	if err == nil && !list.Complete {
		err = fmt.Errorf("finding machine %s: a zone is not available", name)
	}
	return list.Items, err
}

// list reads the machines, all or those of one name. A zone that is not available leaves
// the list incomplete.
func (d *Driver) list(ctx context.Context, name string) (cloud.InstanceList, error) {
	read, err := d.client.Machines(ctx, name)
	if err != nil {
		return cloud.InstanceList{}, fmt.Errorf("listing machines: %w", err)
	}
	list := cloud.InstanceList{Items: []cloud.Instance{}, Complete: len(read.UnavailableZones) == 0}
	for _, m := range read.Machines {
		list.Items = append(list.Items, instance(m))
	}
	return list, nil
}

// Get implements cloud.Instances.
func (d *Driver) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return cloud.GetEach(ids, func(id cloud.InstanceID) (i cloud.Instance, err error) {
		m, err := d.client.Machine(ctx, string(id))
		switch {
		case api.IsNotFound(err):
			return i, nil
		case err != nil:
			return i, fmt.Errorf("reading machine %s: %w", id, err)
		}
		return instance(m), nil
	})
}

var (
	states = map[string]cloud.State{
		api.PowerStarting: cloud.StatePending,
		api.PowerRunning:  cloud.StateRunning,
		api.PowerStopped:  cloud.StateStopped,
	}
	addressTypes = map[string]cloud.AddressType{
		api.AddressPrivate: cloud.AddressInternalIP,
		api.AddressPublic:  cloud.AddressExternalIP,
	}
)

func instance(m api.Machine) cloud.Instance {
	addresses := []cloud.Address{{Type: cloud.AddressHostname, Address: m.Name}}
	for _, a := range m.Addresses {
		addresses = append(addresses, cloud.Address{Type: addressTypes[a.Kind], Address: a.IP})
	}
	return cloud.Instance{
		ID: cloud.InstanceID(m.ID), ProviderID: "sim://" + m.Zone + "/" + m.ID, Name: m.Name,
		Type: m.Type, Region: m.Region, Zone: m.Zone, State: states[m.Power],
		Addresses: addresses, Labels: m.Labels,
	}
}
