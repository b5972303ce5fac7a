package object

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// FloatingIP is what the driver uses of a floating IP of Neutron.
type FloatingIP struct {
	ID          string `json:"id"`
	Address     string `json:"floating_ip_address"`
	Port        string `json:"port_id"`
	Description string `json:"description"`
	Network     string `json:"floating_network_id"`
}

// Identifier returns the id.
func (f FloatingIP) Identifier() string { return f.ID }

// SecurityGroup is what the driver uses of a security group of Neutron.
type SecurityGroup struct {
	ID    string              `json:"id"`
	Name  string              `json:"name"`
	Rules []SecurityGroupRule `json:"security_group_rules"`
}

// SecurityGroupRule is a rule of a security group of Neutron.
type SecurityGroupRule struct {
	ID        string `json:"id"`
	Direction string `json:"direction"`
	Ethertype string `json:"ethertype"`
	Protocol  string `json:"protocol"`
	From      int    `json:"port_range_min"`
	To        int    `json:"port_range_max"`
	Source    string `json:"remote_ip_prefix"`
	Group     string `json:"remote_group_id"`
}

// Identifier returns the id.
func (g SecurityGroup) Identifier() string { return g.ID }

// Guard is the security group that lets the balancer reach the nodes, as it was read; nil where
// there is none. ports are those of machines, with their groups.
type Guard struct {
	Group *SecurityGroup
	// None says that there is no group, and that none is made either.
	None  bool
	Ports []neutron.Port
	// Network is that of the balancer.
	Network string
}

// String writes a rule as it is compared: "ingress IPv4 tcp 30080-30080 from 10.0.0.0/24".
func (r SecurityGroupRule) String() string {
	return fmt.Sprintf("%s %s %s %d-%d from %s", r.Direction, r.Ethertype, strings.ToLower(r.Protocol), r.From, r.To, cmp.Or(r.Source, r.Group))
}

// Has reports whether a port has the security group.
func (g Guard) Has(p neutron.Port) bool {
	return g.Group != nil && slices.Contains(p.Groups, g.Group.ID)
}

// Behind are the ids of the ports that need the group for these addresses. Those without port
// security need none.
func (g Guard) Behind(addresses []string) map[string]bool {
	ids := map[string]bool{}
	for _, address := range addresses {
		for _, p := range g.at(address) {
			if p.Security == nil || *p.Security {
				ids[p.ID] = true
			}
		}
	}
	return ids
}

// at returns the machines' ports with an address: those in the balancer's network if there are
// any. Where several networks have the same addresses nothing else tells whose is meant, so then
// it is nobody's.
func (g Guard) at(address string) []neutron.Port {
	var near, all []neutron.Port
	for _, p := range g.Ports {
		if !slices.ContainsFunc(p.FixedIPs, func(f neutron.FixedIP) bool { return f.Address.String() == address }) {
			continue
		}
		all = append(all, p)
		if p.Network == g.Network {
			near = append(near, p)
		}
	}
	switch {
	case len(near) > 0:
		return near
	case len(all) == 1:
		return all
	}
	return nil
}

// BulkList is all balancers of the project and what belongs to them in Neutron.
type BulkList struct {
	Balancers []Balancer
	Floating  []FloatingIP
	Groups    []SecurityGroup
	Ports     []neutron.Port
	Read      time.Time
}

// BulkListOf returns the bulk list that a Service is looked for in, and false when there is none.
func BulkListOf(spec cloud.Spec) (BulkList, bool) {
	s, ok := spec.BulkList.(BulkList)
	return s, ok
}
