// Package droplet is about droplets as machines.
package droplet

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
)

// Machines are the droplets of a team.
type Machines struct{ API godo.DropletsService }

// ParseProviderID implements cloud.Instances: "digitalocean://<droplet id>".
func (m *Machines) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	id, ok := strings.CutPrefix(providerID, Scheme+"://")
	if !ok {
		return "", fmt.Errorf("provider-ID %q: want %s://<droplet id>", providerID, Scheme)
	}
	number, err := Number(cloud.InstanceID(id))
	if err != nil {
		return "", fmt.Errorf("provider-ID %q: %w", providerID, err)
	}
	return InstanceID(number), nil
}

// List implements cloud.Instances. GPU droplets are not in the API's list; they are read one
// by one, by id.
func (m *Machines) List(ctx context.Context) (cloud.InstanceList, error) {
	all, err := m.droplets(ctx)
	return cloud.InstanceList{Items: all.Items, Complete: all.Complete}, err
}

func (m *Machines) droplets(ctx context.Context) (cloud.Listing[cloud.Instance], error) {
	all, err := dropletPages(func(o *godo.ListOptions) ([]godo.Droplet, *godo.Response, error) {
		return m.API.List(ctx, o)
	})
	if err != nil {
		return all, fmt.Errorf("listing droplets: %w", err)
	}
	return all, nil
}

// dropletPages reads all pages of droplets and keeps of each page only what makes an
// Instance: a droplet is many times as large.
func dropletPages(read func(*godo.ListOptions) ([]godo.Droplet, *godo.Response, error)) (cloud.Listing[cloud.Instance], error) {
	return api.Pages(func(o *godo.ListOptions) ([]cloud.Instance, *godo.Response, error) {
		droplets, resp, err := read(o)
		if droplets == nil {
			return nil, resp, err
		}
		items := make([]cloud.Instance, len(droplets))
		for n := range droplets {
			items[n] = instance(&droplets[n])
		}
		return items, resp, err
	})
}

// Get implements cloud.Instances.
func (m *Machines) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return cloud.GetEach(ids, func(id cloud.InstanceID) (i cloud.Instance, err error) {
		number, err := Number(id)
		if err != nil {
			return i, err
		}
		droplet, _, err := m.API.Get(ctx, number)
		switch {
		case api.IsNotFound(err):
			return i, nil
		case err == nil && (droplet == nil || droplet.ID != number):
			err = cloud.ErrIncomplete
		}
		if err != nil {
			return i, fmt.Errorf("reading droplet %s: %w", id, err)
		}
		return instance(droplet), nil
	})
}

// FindByName implements cloud.Instances. Kubelets give their Node the host name in lower
// case, so case is ignored unless a droplet has exactly that name. A Node named by an IP
// address is looked for among the addresses of all droplets.
func (m *Machines) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	named, err := dropletPages(func(o *godo.ListOptions) ([]godo.Droplet, *godo.Response, error) {
		return m.API.ListByName(ctx, url.QueryEscape(name), o)
	})
	if err != nil {
		return nil, fmt.Errorf("listing droplets by name: %w", err)
	}
	if exact := matching(named.Items, func(i cloud.Instance) bool { return i.Name == name }); len(exact) > 0 {
		return exact, nil
	}
	if similar := matching(named.Items, func(i cloud.Instance) bool { return strings.EqualFold(i.Name, name) }); len(similar) > 0 {
		return similar, nil
	}
	if _, err := netip.ParseAddr(name); err != nil {
		return nil, nil
	}
	return m.findByAddress(ctx, name)
}

func (m *Machines) findByAddress(ctx context.Context, address string) ([]cloud.Instance, error) {
	all, err := m.droplets(ctx)
	if err != nil {
		return nil, err
	}
	return matching(all.Items, func(i cloud.Instance) bool {
		return slices.ContainsFunc(i.Addresses, func(a cloud.Address) bool { return a.Type != cloud.AddressHostname && a.Address == address })
	}), nil
}

func matching(instances []cloud.Instance, match func(cloud.Instance) bool) []cloud.Instance {
	return slices.DeleteFunc(slices.Clone(instances), func(i cloud.Instance) bool { return !match(i) })
}

func instance(droplet *godo.Droplet) cloud.Instance {
	i := cloud.Instance{
		ID:         InstanceID(droplet.ID),
		ProviderID: Scheme + "://" + strconv.Itoa(droplet.ID),
		Name:       droplet.Name,
		Type:       droplet.SizeSlug,
		State:      state(droplet.Status),
		Addresses:  addresses(droplet),
	}
	if droplet.Region != nil {
		i.Region = droplet.Region.Slug
	}
	return i
}

// state maps a droplet's status. Only "off" is a machine that was shut down; an archived one
// or a status we don't know must not make its Node look so.
func state(status string) cloud.State {
	switch status {
	case "off":
		return cloud.StateStopped
	case "new":
		return cloud.StatePending
	}
	return cloud.StateRunning
}

// addresses lists what a Node shows, in upstream's order: the first private IPv4, the first
// public IPv4, the first public IPv6. Any of them may be missing.
func addresses(droplet *godo.Droplet) []cloud.Address {
	list := []cloud.Address{{Type: cloud.AddressHostname, Address: droplet.Name}}
	if droplet.Networks == nil {
		return list
	}
	// These fail only without networks.
	private, _ := droplet.PrivateIPv4()
	public4, _ := droplet.PublicIPv4()
	public6, _ := droplet.PublicIPv6()
	for _, a := range []cloud.Address{
		{Type: cloud.AddressInternalIP, Address: private},
		{Type: cloud.AddressExternalIP, Address: public4},
		{Type: cloud.AddressExternalIP, Address: public6},
	} {
		if a.Address != "" {
			list = append(list, a)
		}
	}
	return list
}

// InstanceID is the id of a droplet as the kernel knows it.
func InstanceID(number int) cloud.InstanceID { return cloud.InstanceID(strconv.Itoa(number)) }

// Number is the id of a machine as the API knows it.
func Number(id cloud.InstanceID) (int, error) {
	number, err := strconv.Atoi(string(id))
	if err != nil || number < 1 {
		return 0, fmt.Errorf("droplet id %q is not a positive number", id)
	}
	return number, nil
}

// Scheme is the scheme of provider-IDs.
const Scheme = "digitalocean"
