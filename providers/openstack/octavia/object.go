package octavia

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// The objects of Octavia as its API shows them, as far as they matter here
// (https://docs.openstack.org/api-ref/load-balancer/v2/). The SDK's types leave out updated_at
// of the parts, by which it is known what need not be read again.
type (
	balancer struct {
		ID           string   `json:"id"`
		Name         string   `json:"name"`
		Description  string   `json:"description"`
		Tags         []string `json:"tags"`
		Provisioning string   `json:"provisioning_status"`
		Operating    string   `json:"operating_status"`
		// Updated is empty for as long as nothing was ever changed.
		Updated        string         `json:"updated_at"`
		Provider       string         `json:"provider"`
		Flavor         string         `json:"flavor_id"`
		Zone           string         `json:"availability_zone"`
		Address        string         `json:"vip_address"`
		Port           string         `json:"vip_port_id"`
		Subnet         string         `json:"vip_subnet_id"`
		Network        string         `json:"vip_network_id"`
		AdditionalVIPs []additionalIP `json:"additional_vips"`
	}
	additionalIP struct {
		Subnet  string `json:"subnet_id"`
		Address string `json:"ip_address,omitempty"`
	}
	reference struct {
		ID string `json:"id"`
	}
	listener struct {
		ID              string            `json:"id"`
		Name            string            `json:"name"`
		Protocol        string            `json:"protocol"`
		Port            int               `json:"protocol_port"`
		Pool            string            `json:"default_pool_id"`
		Tags            []string          `json:"tags"`
		ConnectionLimit int               `json:"connection_limit"`
		TLSRef          string            `json:"default_tls_container_ref"`
		InsertHeaders   map[string]string `json:"insert_headers"`
		AllowedCIDRs    []string          `json:"allowed_cidrs"`
		ClientData      int               `json:"timeout_client_data"`
		MemberConnect   int               `json:"timeout_member_connect"`
		MemberData      int               `json:"timeout_member_data"`
		TCPInspect      int               `json:"timeout_tcp_inspect"`
	}
	pool struct {
		ID          string          `json:"id"`
		Name        string          `json:"name"`
		Protocol    string          `json:"protocol"`
		Method      string          `json:"lb_algorithm"`
		Persistence json.RawMessage `json:"session_persistence"`
		Monitor     string          `json:"healthmonitor_id"`
		Members     []reference     `json:"members"`
		Listeners   []reference     `json:"listeners"`
		Updated     string          `json:"updated_at"`
	}
	member struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Address     string `json:"address"`
		Port        int    `json:"protocol_port"`
		Weight      int    `json:"weight"`
		Backup      bool   `json:"backup"`
		Enabled     bool   `json:"admin_state_up"`
		MonitorPort int    `json:"monitor_port"`
		Subnet      string `json:"subnet_id"`
	}
	monitor struct {
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
		Pools       []reference `json:"pools"`
	}
)

// persistence returns the type of a pool's session persistence, "" when it has none.
func (p pool) persistence() string {
	var persistence struct{ Type string }
	if json.Unmarshal(p.Persistence, &persistence) != nil {
		return ""
	}
	return persistence.Type
}

// shared reports whether several listeners lead to the pool, as users can make it: then it is not
// ours to change.
func (p pool) shared() bool { return len(p.Listeners) > 1 }

// Provisioning states (https://docs.openstack.org/api-ref/load-balancer/v2/#prov-status).
const (
	statusActive        = "ACTIVE"
	statusError         = "ERROR"
	statusDeleted       = "DELETED"
	statusPendingDelete = "PENDING_DELETE"
)

const (
	pathBalancers = "lbaas/loadbalancers"
	pathListeners = "lbaas/listeners"
	pathPools     = "lbaas/pools"
	pathMonitors  = "lbaas/healthmonitors"
)

// listBalancers reads all balancers of the project.
func (d *Balancers) listBalancers(ctx context.Context) ([]balancer, time.Time, error) {
	return api.ListDated[balancer](ctx, d.client, "loadbalancers", pathBalancers, d.ofProject())
}

// ofProject limits a list to our own project: to an administrator all of them are shown.
func (d *Balancers) ofProject() url.Values {
	query := url.Values{}
	if d.project != "" {
		query.Set("project_id", d.project)
	}
	return query
}

func (b balancer) Identifier() string { return b.ID }
func (l listener) Identifier() string { return l.ID }
func (p pool) Identifier() string     { return p.ID }
func (m member) Identifier() string   { return m.ID }
func (m monitor) Identifier() string  { return m.ID }

func ofBalancer(id string) url.Values { return url.Values{"loadbalancer_id": {id}} }
