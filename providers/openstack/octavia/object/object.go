package object

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// The objects of Octavia as its API shows them, as far as they matter here
// (https://docs.openstack.org/api-ref/load-balancer/v2/). The SDK's types leave out updated_at
// of the parts, by which it is known what need not be read again.
type (
	// Balancer is the load balancer itself.
	Balancer struct {
		ID           string   `json:"id"`
		Name         string   `json:"name"`
		Description  string   `json:"description"`
		Tags         []string `json:"tags"`
		Provisioning string   `json:"provisioning_status"`
		Operating    string   `json:"operating_status"`
		Created      string   `json:"created_at"`
		// Updated is empty for as long as nothing was ever changed.
		Updated        string         `json:"updated_at"`
		Provider       string         `json:"provider"`
		Flavor         string         `json:"flavor_id"`
		Zone           string         `json:"availability_zone"`
		Address        string         `json:"vip_address"`
		Port           string         `json:"vip_port_id"`
		Subnet         string         `json:"vip_subnet_id"`
		Network        string         `json:"vip_network_id"`
		AdditionalVIPs []AdditionalIP `json:"additional_vips"`
	}
	// AdditionalIP is one of a load balancer that has several.
	AdditionalIP struct {
		Subnet  string `json:"subnet_id"`
		Address string `json:"ip_address,omitempty"`
	}
	// Reference names another object.
	Reference struct {
		ID string `json:"id"`
	}
	// Pool is what a listener leads to.
	Pool struct {
		ID          string      `json:"id"`
		Name        string      `json:"name"`
		Protocol    string      `json:"protocol"`
		Method      string      `json:"lb_algorithm"`
		Persistence Persistence `json:"session_persistence"`
		Monitor     string      `json:"healthmonitor_id"`
		Members     []Reference `json:"members"`
		Listeners   []Reference `json:"listeners"`
		Updated     string      `json:"updated_at"`
	}
	// Member is a machine in a pool.
	Member struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Address     string `json:"address"`
		Port        int    `json:"protocol_port"`
		Weight      int    `json:"weight"`
		Backup      bool   `json:"backup"`
		Enabled     bool   `json:"admin_state_up"`
		MonitorPort int    `json:"monitor_port"`
		Subnet      string `json:"subnet_id"`
		// Machine is the one of a member that is wanted.
		Machine cloud.InstanceID `json:"-"`
	}
	// Monitor is a health check.
	Monitor struct {
		ID          string      `json:"id"`
		Name        string      `json:"name"`
		Type        string      `json:"type"`
		Delay       int         `json:"delay"`
		Timeout     int         `json:"timeout"`
		Retries     int         `json:"max_retries"`
		RetriesDown int         `json:"max_retries_down"`
		Path        string      `json:"url_path"`
		Codes       string      `json:"expected_codes"`
		Method      string      `json:"http_method"`
		Pools       []Reference `json:"pools"`
	}
)

// Health is the check as the kernel has it, without a port: each member has its own.
func (m Monitor) Health() cloud.Health {
	h := cloud.Health{
		Protocol: cloud.Protocol(m.Type), Interval: time.Duration(m.Delay) * time.Second, Timeout: time.Duration(m.Timeout) * time.Second,
		Healthy: m.Retries, Unhealthy: m.RetriesDown,
	}
	if h.Protocol == cloud.ProtocolHTTP || h.Protocol == cloud.ProtocolHTTPS {
		h.Path = m.Path
	}
	return h
}

// Persistence is the type of a pool's session persistence, "" when it has none.
type Persistence string

// UnmarshalJSON implements json.Unmarshaler. What is no persistence is none.
func (p *Persistence) UnmarshalJSON(data []byte) error {
	var read struct{ Type string }
	if json.Unmarshal(data, &read) == nil {
		*p = Persistence(read.Type)
	}
	return nil
}

// Provisioning states (https://docs.openstack.org/api-ref/load-balancer/v2/#prov-status).
const (
	StatusActive        = "ACTIVE"
	StatusError         = "ERROR"
	StatusDeleted       = "DELETED"
	StatusPending       = "PENDING_" // begins those of a balancer that is busy
	StatusPendingCreate = "PENDING_CREATE"
	StatusPendingDelete = "PENDING_DELETE"
)

// Paths of the API.
const (
	PathBalancers = "lbaas/loadbalancers"
	PathListeners = "lbaas/listeners"
	PathPools     = "lbaas/pools"
	PathMonitors  = "lbaas/healthmonitors"
)

// Identifier returns the id.
func (b Balancer) Identifier() string { return b.ID }

// Identifier returns the id.
func (p Pool) Identifier() string { return p.ID }

// Identifier returns the id.
func (m Member) Identifier() string { return m.ID }

// Identifier returns the id.
func (m Monitor) Identifier() string { return m.ID }

func ofBalancer(id string) url.Values { return url.Values{"loadbalancer_id": {id}} }

// Lifecycle is the life-cycle state of a balancer (…/load-balancer/v2/#provisioning-status-codes).
func Lifecycle(lb Balancer) (cloud.BalancerState, string) {
	switch lb.Provisioning {
	case StatusActive:
		return cloud.BalancerActive, ""
	case StatusError:
		return cloud.BalancerFailed, "its provisioning status is ERROR; an administrator can repair it with `openstack loadbalancer failover`"
	}
	return cloud.BalancerPending, ""
}

// SecurityGroup is what the driver uses of a security group of Neutron.
type SecurityGroup struct {
	ID          string              `json:"id"`
	Name        string              `json:"name"`
	Description string              `json:"description"`
	Rules       []SecurityGroupRule `json:"security_group_rules"`
}

// SecurityGroupRule is a rule of a security group of Neutron. What is null in it means any.
type SecurityGroupRule struct {
	ID        string `json:"id"`
	Direction string `json:"direction"`
	Ethertype string `json:"ethertype"`
	Protocol  string `json:"protocol"`
	From      *int   `json:"port_range_min"` // ICMP's type
	To        *int   `json:"port_range_max"` // ICMP's code
	Source    string `json:"remote_ip_prefix"`
	Group     string `json:"remote_group_id"`
	Addresses string `json:"remote_address_group_id"`
}

// Identifier returns the id.
func (g SecurityGroup) Identifier() string { return g.ID }

// Security is the security group that lets the balancer reach the nodes, as it was read; nil where
// there is none. ports are those of machines, with their groups.
type Security struct {
	// Groups are the Service's: Neutron takes several of one name. All but the first are surplus.
	Groups []SecurityGroup
	// None says that there is no group, and that none is made either.
	None  bool
	Ports []neutron.Port
	// Network is that of the balancer.
	Network string
}

// BulkList is all balancers of the project and what belongs to them in Neutron.
type BulkList struct {
	Balancers []Balancer
	Floating  []FloatingIP
	Groups    []SecurityGroup
	Ports     []neutron.Port
	Read      time.Time
}
