package openstack

import (
	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Driver is one project of an OpenStack cloud, in one region.
type Driver struct {
	*services
	config config
	// cloud is the name of the configuration's entry, for the owner marks.
	cloud string
	// clusterName is --cluster-name, a part of the names upstream gives.
	clusterName string
	// regional says to write the region into provider-IDs.
	regional bool
}

// services are the clients of the APIs, which share one token. What the catalogue of the
// cloud lacks is nil.
type services struct {
	identity  *gophercloud.ServiceClient
	compute   *gophercloud.ServiceClient
	network   *gophercloud.ServiceClient
	balancer  *gophercloud.ServiceClient
	secrets   *gophercloud.ServiceClient // the key manager
	octavia   apiVersion
	extension map[string]bool // the extensions Neutron has, by alias
}

// apiVersion is a version of Octavia's API.
type apiVersion struct{ major, minor int }

var _ cloud.Instances = (*Driver)(nil)

// Instances implements cloud.Driver.
func (d *Driver) Instances() cloud.Instances { return d }
