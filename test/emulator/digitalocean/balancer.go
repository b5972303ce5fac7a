package digitalocean

import (
	"slices"
	"time"
)

// Types, networks, stacks and statuses of a balancer.
const (
	TypeRegional        = "REGIONAL"
	TypeRegionalNetwork = "REGIONAL_NETWORK"
	TypeGlobal          = "GLOBAL"

	NetworkExternal = "EXTERNAL"
	NetworkInternal = "INTERNAL"

	StackIPv4      = "IPV4"
	StackDualstack = "DUALSTACK"

	BalancerNew    = "new"
	BalancerActive = "active"
	// BalancerErrored is only reached with LoadBalancers.Edit.
	BalancerErrored = "errored"
)

// Balancer is a load balancer as the API shows it.
type Balancer struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	ProjectID string `json:"project_id"`
	// IP is empty while the balancer is new. An internal one has a VPC address.
	IP   string `json:"ip"`
	IPv6 string `json:"ipv6,omitempty"`
	// SizeUnit is the number of nodes, also for a balancer made with a size slug
	// (guess: the slug is not shown again, because both together are refused).
	SizeUnit                     int              `json:"size_unit"`
	Type                         string           `json:"type"`
	Algorithm                    string           `json:"algorithm"`
	Status                       string           `json:"status"`
	CreatedAt                    string           `json:"created_at"`
	ForwardingRules              []ForwardingRule `json:"forwarding_rules"`
	HealthCheck                  HealthCheck      `json:"health_check"`
	StickySessions               StickySessions   `json:"sticky_sessions"`
	Region                       *Region          `json:"region"`
	Tag                          string           `json:"tag"`
	Tags                         []string         `json:"tags"`
	DropletIDs                   []int            `json:"droplet_ids"`
	RedirectHTTPToHTTPS          bool             `json:"redirect_http_to_https"`
	EnableProxyProtocol          bool             `json:"enable_proxy_protocol"`
	EnableBackendKeepalive       bool             `json:"enable_backend_keepalive"`
	VPCUUID                      string           `json:"vpc_uuid,omitempty"`
	SubnetUUID                   string           `json:"subnet_uuid,omitempty"`
	DisableLetsEncryptDNSRecords bool             `json:"disable_lets_encrypt_dns_records"`
	// HTTPIdleTimeoutSeconds is not shown for a network balancer.
	HTTPIdleTimeoutSeconds int              `json:"http_idle_timeout_seconds,omitempty"`
	Firewall               BalancerFirewall `json:"firewall"`
	Network                string           `json:"network"`
	NetworkStack           string           `json:"network_stack"`
	TLSCipherPolicy        string           `json:"tls_cipher_policy"`
	Domains                []Domain         `json:"domains,omitempty"`
	GLBSettings            *GLBSettings     `json:"glb_settings,omitempty"`
	TargetLoadBalancerIDs  []string         `json:"target_load_balancer_ids,omitempty"`
}

// ForwardingRule leads traffic from the balancer to the droplets.
type ForwardingRule struct {
	EntryProtocol  string `json:"entry_protocol"`
	EntryPort      int    `json:"entry_port"`
	TargetProtocol string `json:"target_protocol"`
	TargetPort     int    `json:"target_port"`
	CertificateID  string `json:"certificate_id"`
	TLSPassthrough bool   `json:"tls_passthrough"`
}

// HealthCheck says how droplets are probed; times in seconds.
type HealthCheck struct {
	Protocol               string `json:"protocol"`
	Port                   int    `json:"port"`
	Path                   string `json:"path"`
	CheckIntervalSeconds   int    `json:"check_interval_seconds"`
	ResponseTimeoutSeconds int    `json:"response_timeout_seconds"`
	HealthyThreshold       int    `json:"healthy_threshold"`
	UnhealthyThreshold     int    `json:"unhealthy_threshold"`
	ProxyProtocol          *bool  `json:"proxy_protocol,omitempty"`
}

// StickySessions is "none" or "cookies".
type StickySessions struct {
	Type             string `json:"type"`
	CookieName       string `json:"cookie_name,omitempty"`
	CookieTTLSeconds int    `json:"cookie_ttl_seconds,omitempty"`
}

// BalancerFirewall holds entries of the form "ip:192.0.2.1" and "cidr:192.0.2.0/24".
type BalancerFirewall struct {
	Allow []string `json:"allow"`
	Deny  []string `json:"deny"`
}

// Domain is a name of a global balancer.
type Domain struct {
	Name          string `json:"name"`
	IsManaged     bool   `json:"is_managed"`
	CertificateID string `json:"certificate_id,omitempty"`
	Status        string `json:"status,omitempty"`
}

// GLBSettings are the settings of a global balancer.
type GLBSettings struct {
	TargetProtocol    string         `json:"target_protocol"`
	TargetPort        int            `json:"target_port"`
	CDN               *CDN           `json:"cdn,omitempty"`
	RegionPriorities  map[string]int `json:"region_priorities,omitempty"`
	FailoverThreshold int            `json:"failover_threshold,omitempty"`
}

// CDN switches the cache of a global balancer.
type CDN struct {
	IsEnabled bool `json:"is_enabled"`
}

// balancer is a Balancer with what the API does not show.
type balancer struct {
	Balancer
	account   *Account
	address   string // of a bring-your-own-IP request; else empty
	resizedAt time.Time
	timer     *time.Timer // ends the status new; nil when nothing is pending
}

// view returns a copy whose lists are never changed afterwards. A balancer with
// a tag shows the droplets that carry it.
func (b *balancer) view() Balancer {
	v := b.Balancer
	v.ForwardingRules = append([]ForwardingRule{}, b.ForwardingRules...)
	v.Tags = append([]string{}, b.Tags...)
	v.DropletIDs = append([]int{}, b.DropletIDs...)
	v.Firewall.Allow = append([]string{}, b.Firewall.Allow...)
	v.Firewall.Deny = append([]string{}, b.Firewall.Deny...)
	if b.Tag != "" {
		for _, d := range b.account.Droplets.all {
			if d.hasTag(b.Tag) {
				v.DropletIDs = append(v.DropletIDs, d.ID)
			}
		}
	}
	return v
}

func (b *balancer) replaceCertificate(from, to string) {
	b.ForwardingRules = slices.Clone(b.ForwardingRules)
	for i := range b.ForwardingRules {
		if b.ForwardingRules[i].CertificateID == from {
			b.ForwardingRules[i].CertificateID = to
		}
	}
}

// LoadBalancers are the account's.
type LoadBalancers struct {
	account *Account
	all     []*balancer
	limit   int
	// absent is what a droplet that does not exist is refused with, nil for 422 with its id.
	absent error
}

// RefuseAbsent has droplets that do not exist refused with this answer. What the API says of them is not documented: by default
// it is 422 with the droplet's id, which is a guess.
func (bs *LoadBalancers) RefuseAbsent(status int, message string) {
	bs.absent = &problem{status, message}
}

func (bs *LoadBalancers) find(id string) *balancer {
	for _, b := range bs.all {
		if b.ID == id {
			return b
		}
	}
	return nil
}
