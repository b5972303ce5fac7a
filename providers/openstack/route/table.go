package route

import (
	"context"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// Table is the routes of the router that [Route] router-id names.
type Table struct {
	network *gophercloud.ServiceClient
	// router is the id of the router.
	router string
	// extension are the extensions that Neutron has, by alias.
	extension map[string]bool
	machines  machines
}

// machines finds the addresses and ports of a machine.
type machines interface {
	Addresses(ctx context.Context, id string) (all []cloud.Address, ports []neutron.Port, found bool, err error)
}

// New returns the routes of a router.
func New(network *gophercloud.ServiceClient, machines machines, router string, extension map[string]bool) *Table {
	return &Table{network: network, router: router, extension: extension, machines: machines}
}

// Able reports whether Neutron can add routes to a router.
func (t *Table) Able() bool { return t.extension["extraroute"] || t.extension[extensionAtomic] }
