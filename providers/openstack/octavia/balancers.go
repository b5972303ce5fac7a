package octavia

import (
	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Balancers are the load balancers of a project, with their floating IPs and security groups.
type Balancers struct {
	client, network *gophercloud.ServiceClient
	// secrets is the key manager, nil when the cloud has none.
	secrets *gophercloud.ServiceClient
	version api.Version
	// project is the id of the project the token is for.
	project string
	config  config.Balancer
	classes map[string]config.Class
	marks   mark.Marks
}

// Balancers are found, compared and changed by the kernel.
var (
	_ cloud.Composite  = (*Balancers)(nil)
	_ cloud.Configured = (*Balancers)(nil)
	_ cloud.Checker    = (*Balancers)(nil)
	_ cloud.Replacer   = (*Balancers)(nil)
)

// Clients are those of Octavia, Neutron and the key manager, which is nil when the cloud has none.
type Clients struct{ Balancer, Network, Secrets *gophercloud.ServiceClient }

// Settings are those of the configuration, and what was found out about the cloud.
type Settings struct {
	Balancer config.Balancer
	Classes  map[string]config.Class
	// ClusterName is --cluster-name, Cloud the name of the configuration's entry.
	ClusterName, Cloud string
	// Project is the id of the project the token is for.
	Project string
	// Version is the newest version of Octavia's API.
	Version api.Version
}

// New returns the balancers of a project.
func New(c Clients, s Settings) *Balancers {
	d := &Balancers{
		client: c.Balancer, network: c.Network, secrets: c.Secrets, version: s.Version, project: s.Project,
		config: s.Balancer, classes: s.Classes, marks: mark.Marks{Cloud: s.Cloud, ClusterName: s.ClusterName},
	}
	d.marks.Tags = d.can(ableTags)
	return d
}

// Immutable are the fields that only a new balancer can have otherwise.
func Immutable() []string {
	return []string{
		fieldProvider, fieldFlavor, fieldZone, fieldSubnet, fieldNetwork, fieldPort, fieldAddress, fieldFloatingIP, cloud.FieldDualStack,
	}
}

// Defaults implements cloud.Configured: what [LoadBalancer] says of all balancers.
func (d *Balancers) Defaults() map[string]string { return option.Defaults(d.config) }
