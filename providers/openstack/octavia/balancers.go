package octavia

import (
	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/check"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/floatingip"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/resource"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/secgroup"
)

// Balancers are the load balancers of a project, with their floating IPs and security groups.
type Balancers struct {
	*desired.Rules
	*resource.Composite
	*check.Checker
	reader   *object.Reader
	owners   *owner.Owners
	floating *floatingip.Manager
	groups   *secgroup.Manager
	network  *gophercloud.ServiceClient
	// secrets is the key manager, nil when the cloud has none.
	secrets *gophercloud.ServiceClient
}

// Balancers are found, compared and changed by the kernel.
var (
	_ cloud.Composite  = (*Balancers)(nil)
	_ cloud.Operations = (*Balancers)(nil)
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
	rules := desired.New(s.Balancer, s.Classes, mark.Marks{Cloud: s.Cloud, ClusterName: s.ClusterName}, s.Version)
	reader := &object.Reader{Client: c.Balancer, Network: c.Network, Project: s.Project}
	checker := &check.Checker{Client: c.Balancer, Network: c.Network, Rules: rules, Reader: reader}
	floating := &floatingip.Manager{Network: c.Network, Rules: rules, Reader: reader, Checker: checker}
	groups := &secgroup.Manager{Network: c.Network, Rules: rules, Reader: reader}
	owners := &owner.Owners{Rules: rules}
	return &Balancers{
		Rules: rules, reader: reader, Checker: checker, owners: owners, floating: floating, groups: groups, network: c.Network, secrets: c.Secrets,
		Composite: &resource.Composite{Client: c.Balancer, Network: c.Network, Rules: rules, Owners: owners, Floating: floating, Groups: groups},
	}
}

// Immutable are the fields that only a new balancer can have otherwise.
func Immutable() []string {
	return []string{
		desired.FieldProvider, desired.FieldFlavor, desired.FieldZone, desired.FieldSubnet, desired.FieldNetwork, desired.FieldPort, desired.FieldAddress, desired.FieldFloatingIP, cloud.FieldDualStack,
	}
}
