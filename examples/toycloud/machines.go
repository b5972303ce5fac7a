package toycloud

import (
	"context"
	"fmt"
	"regexp"

	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var providerID = regexp.MustCompile(`^toy://(m-[0-9]+)$`)

// ParseProviderID implements cloud.Instances.
func (d *Driver) ParseProviderID(id string) (cloud.InstanceID, error) {
	if match := providerID.FindStringSubmatch(id); match != nil {
		return cloud.InstanceID(match[1]), nil
	}
	return "", fmt.Errorf("provider id %q is not of the form toy://<machine id>", id)
}

// List implements cloud.Instances.
func (d *Driver) List(ctx context.Context) (cloud.InstanceList, error) {
	items, err := d.FindByName(ctx, "")
	return cloud.InstanceList{Items: items, Complete: err == nil}, err
}

// FindByName implements cloud.Instances. The API takes "" for any name.
func (d *Driver) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	found := []cloud.Instance{}
	var paging cloud.Paging
	for after := ""; ; {
		page, err := d.client.Machines(ctx, name, after)
		if err == nil {
			err = paging.Page(len(page.Machines), page.Next)
		}
		if err != nil {
			return nil, fmt.Errorf("listing machines: %w", err)
		}
		for _, m := range page.Machines {
			found = append(found, instance(m))
		}
		if after = page.Next; after == "" {
			return found, nil
		}
	}
}

// Get implements cloud.Instances.
func (d *Driver) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		m, err := d.client.Machine(ctx, string(id))
		switch {
		case err == nil:
			found[id] = instance(m)
		case !api.IsNotFound(err):
			return nil, fmt.Errorf("reading machine %s: %w", id, err)
		}
	}
	return found, nil
}

var states = map[string]cloud.State{"running": cloud.StateRunning, "stopped": cloud.StateStopped}

func instance(m api.Machine) cloud.Instance {
	return cloud.Instance{
		ID: cloud.InstanceID(m.ID), ProviderID: "toy://" + m.ID, Name: m.Name, Type: m.Type, Zone: m.Zone, State: states[m.Power],
		Addresses: []cloud.Address{{Type: cloud.AddressHostname, Address: m.Name}, {Type: cloud.AddressInternalIP, Address: m.IP}},
	}
}
