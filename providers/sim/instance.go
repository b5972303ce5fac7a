package sim

import (
	"context"
	"fmt"
	"regexp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
)

// instances reads machines.
type instances struct{ driver *Driver }

var providerID = regexp.MustCompile(`^sim://[a-z0-9-]+/([a-z0-9-]+)$`)

// ParseProviderID implements cloud.Instances.
func (i instances) ParseProviderID(id string) (cloud.InstanceID, error) {
	match := providerID.FindStringSubmatch(id)
	if match == nil {
		return "", fmt.Errorf("provider id %q is not of the form sim://<zone>/<machine id>", id)
	}
	return cloud.InstanceID(match[1]), nil
}

// List implements cloud.Instances.
func (i instances) List(ctx context.Context) (cloud.InstanceList, error) { return i.pages(ctx, "") }

// FindByName implements cloud.Instances.
func (i instances) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	list, err := i.pages(ctx, name)
	if err == nil && !list.Complete {
		err = fmt.Errorf("finding machine %s: a zone is not available", name)
	}
	return list.Items, err
}

// pages reads all pages. A page that fails is an error; a zone that is not available
// leaves the list incomplete.
func (i instances) pages(ctx context.Context, name string) (cloud.InstanceList, error) {
	list := cloud.InstanceList{Items: []cloud.Instance{}, Complete: true}
	for after := ""; ; {
		page, err := i.driver.client.Machines(ctx, name, after)
		if err != nil {
			return cloud.InstanceList{}, fmt.Errorf("listing machines: %w", err)
		}
		for _, m := range page.Machines {
			list.Items = append(list.Items, instance(m))
		}
		list.Complete = list.Complete && len(page.UnavailableZones) == 0
		if after = page.Next; after == "" {
			return list, nil
		}
	}
}

// Get implements cloud.Instances.
func (i instances) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		m, err := i.driver.client.Machine(ctx, string(id))
		if i.driver.absent(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading machine %s: %w", id, err)
		}
		found[id] = instance(m)
	}
	return found, nil
}

var (
	states = map[string]cloud.State{
		world.PowerStarting: cloud.StatePending,
		world.PowerRunning:  cloud.StateRunning,
		world.PowerStopped:  cloud.StateStopped,
	}
	addressTypes = map[string]cloud.AddressType{
		world.AddressPrivate: cloud.AddressInternalIP,
		world.AddressPublic:  cloud.AddressExternalIP,
	}
)

func instance(m world.Machine) cloud.Instance {
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
