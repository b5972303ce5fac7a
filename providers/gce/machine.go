package gce

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"google.golang.org/api/compute/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// instance translates an answer of the API.
func (d *Driver) instance(project string, read *compute.Instance) (cloud.Instance, error) {
	zone := last(read.Zone)
	if !zoneName.MatchString(zone) || !resourceName.MatchString(read.Name) {
		return cloud.Instance{}, fmt.Errorf("%w: an instance %q in the zone %q", cloud.ErrIncomplete, read.Name, read.Zone)
	}
	return cloud.Instance{
		ID:         d.id(project, zone, read.Name),
		ProviderID: scheme + "://" + project + "/" + zone + "/" + read.Name,
		Name:       read.Name,
		Type:       last(read.MachineType),
		Region:     regionOf(zone),
		Zone:       zone,
		State:      state(read.Status),
		Addresses:  d.addresses(read.NetworkInterfaces),
	}, nil
}

// last returns the name at the end of a URL.
func last(url string) string { return url[strings.LastIndexByte(url, '/')+1:] }

// regionOf is a zone's name without the letter.
func regionOf(zone string) string { return zone[:max(strings.LastIndexByte(zone, '-'), 0)] }

// state maps the status of an instance. One that goes down still runs.
func state(status string) cloud.State {
	switch status {
	case "TERMINATED", "STOPPED", "SUSPENDED":
		return cloud.StateStopped
	case "PROVISIONING", "STAGING":
		return cloud.StatePending
	}
	return cloud.StateRunning
}

// addresses lists what a Node shows, in upstream's order: interface by interface, then the IPv4
// addresses before the others, or behind them with stack-type IPV6. As upstream has it, an IPv6
// address is an internal one, whoever reaches it.
func (d *Driver) addresses(interfaces []*compute.NetworkInterface) []cloud.Address {
	var list []cloud.Address
	add := func(kind cloud.AddressType, text string) {
		if text != "" {
			list = append(list, cloud.Address{Type: kind, Address: text})
		}
	}
	for _, nic := range interfaces {
		add(cloud.AddressInternalIP, nic.NetworkIP)
		for _, access := range nic.AccessConfigs {
			add(cloud.AddressExternalIP, access.NatIP)
		}
		add(cloud.AddressInternalIP, ipv6Of(nic))
	}
	slices.SortStableFunc(list, func(a, b cloud.Address) int {
		switch v6 := isIPv6(a.Address); {
		case v6 == isIPv6(b.Address):
			return 0
		case v6 == d.ipv6First:
			return -1
		default:
			return 1
		}
	})
	return list
}

func ipv6Of(nic *compute.NetworkInterface) string {
	if nic.Ipv6AccessType != "EXTERNAL" {
		return nic.Ipv6Address
	}
	for _, access := range nic.Ipv6AccessConfigs {
		if access.ExternalIpv6 != "" {
			return access.ExternalIpv6
		}
	}
	return ""
}

func isIPv6(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6()
}
