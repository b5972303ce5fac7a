// Package octavia keeps load balancers: the listeners, pools, members and monitors of Octavia, and the
// floating IPs and security groups of Neutron that belong to them. The kernel compares and orders what
// it observes and wants. Its packages, each of which knows only those above it:
//
//	package     is about
//	object      what the APIs show
//	desired     what a Service asks for
//	owner       whose a load balancer and its parts are
//	check       whether what a Service names is there
//	floatingip  floating IPs
//	secgroup    security groups
//	resource    of which resources a load balancer consists, and how each is written
//
// The package itself finds the load balancer of a Service and gives the kernel its portable view.
package octavia

import (
	"context"
	"fmt"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/check"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/floatingip"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/resource"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Balancers are the load balancers of a project, with their floating IPs and security groups.
type Balancers struct {
	*desired.Rules
	*resource.Composite
	*check.Checker
	reader   *object.Reader
	floating *floatingip.Manager
	groups   *secgroup.Manager
	network  *gophercloud.ServiceClient
	// secrets is the key manager, nil when the cloud has none.
	secrets *gophercloud.ServiceClient
}

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
	rules := desired.New(s.Balancer, s.Classes, tag.Ownership{Cloud: s.Cloud, ClusterName: s.ClusterName}, s.Version)
	reader := &object.Reader{Client: c.Balancer, Network: c.Network, Project: s.Project}
	checker := &check.Checker{Client: c.Balancer, Network: c.Network, Rules: rules, Reader: reader}
	floating := &floatingip.Manager{Network: c.Network, Rules: rules, Reader: reader, Checker: checker}
	groups := &secgroup.Manager{Network: c.Network, Rules: rules, Reader: reader}
	return &Balancers{
		Rules: rules, reader: reader, Checker: checker, floating: floating, groups: groups, network: c.Network, secrets: c.Secrets,
		Composite: &resource.Composite{Client: c.Balancer, Network: c.Network, Rules: rules, Floating: floating, Groups: groups},
	}
}

// Immutable are the fields that only a new balancer can have otherwise.
func Immutable() []string {
	return []string{
		desired.FieldProvider, desired.FieldFlavor, desired.FieldZone, desired.FieldSubnet, desired.FieldNetwork, desired.FieldPort, desired.FieldAddress, desired.FieldFloatingIP, cloud.FieldDualStack,
	}
}

// OperationStates implements cloud.Operations: Octavia works at a balancer as a whole, whose id is the operation. Of any other
// status, and of a balancer that is not there, nothing is told: then it is looked at.
func (d *Balancers) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	statuses, err := d.reader.Statuses(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("reading the statuses of balancers: %w", err)
	}
	states := map[string]cloud.OperationState{}
	for _, id := range ids {
		switch status := statuses[id]; {
		case status == object.StatusActive:
			states[id] = cloud.OperationState{}
		case strings.HasPrefix(status, object.StatusPending):
			states[id] = cloud.OperationState{Running: true}
		}
	}
	return states, nil
}

// Coexist implements cloud.Replacer: Octavia takes two balancers of one name. The floating IP is
// moved from one to the other. What both cannot have is an address of their own, and a user's port.
func (d *Balancers) Coexist(in cloud.Input, before cloud.Observed) (reason string) {
	s := object.Native.Open(before.Native)
	where := d.PlaceOf(in)
	switch {
	case s == nil:
		return "it was not read"
	case owner.Read(d.Rules, s, in).Tenant:
		return "it is shared with others"
	case where.AddressField == desired.FieldAddress && where.Address != "" && where.Address == s.LB.Address:
		return "both would have the address " + s.LB.Address
	case option.Port.In(in.Options) != "" && option.Port.In(in.Options) == s.LB.Port:
		return "both would have the port " + s.LB.Port
	}
	return ""
}
