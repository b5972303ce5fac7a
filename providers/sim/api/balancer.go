package api

import "fmt"

// Life-cycle states of a balancer.
const (
	StatusPending  = "pending"
	StatusActive   = "active"
	StatusFailed   = "failed"
	StatusDeleting = "deleting"
)

// SourceAddress is the algorithm that keeps a client with a target, by the client's address.
const SourceAddress = "source_address"

// BalancerSpec is what a client says about a balancer; PUT replaces all of it.
type BalancerSpec struct {
	// Name is unique in the account.
	Name string `json:"name"`
	// Internal and DualStack can't be changed later.
	Internal  bool `json:"internal"`
	DualStack bool `json:"dual_stack"`
	// Algorithm is "round_robin" (default), "least_connections" or SourceAddress.
	Algorithm     string      `json:"algorithm"`
	ProxyProtocol bool        `json:"proxy_protocol"`
	Listeners     []Listener  `json:"listeners"`
	HealthCheck   HealthCheck `json:"health_check"`
	// AllowedSources are client networks; empty means everyone. They are stored masked,
	// sorted and without duplicates.
	AllowedSources []string `json:"allowed_sources"`
	// Targets are ids of machines, stored sorted and without duplicates.
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// Listener is an open port; traffic goes to NodePort of a target.
type Listener struct {
	// Protocol is "tcp" or "udp".
	Protocol string `json:"protocol"`
	Port     int    `json:"port"`
	// NodePort is 0 where packets get to a target as they are, with the balancer's address and port.
	NodePort int `json:"node_port"`
}

// Key names the listener among those of its balancer, such as "tcp/80".
func (l Listener) Key() string { return fmt.Sprintf("%s/%d", l.Protocol, l.Port) }

// HealthCheck decides which targets get traffic.
type HealthCheck struct {
	// Protocol is "http" (GET of Path answers 200) or "tcp" (it connects).
	Protocol           string `json:"protocol"`
	Port               int    `json:"port"`
	Path               string `json:"path,omitempty"`
	IntervalSeconds    int    `json:"interval_seconds"`
	TimeoutSeconds     int    `json:"timeout_seconds"`
	HealthyThreshold   int    `json:"healthy_threshold"`
	UnhealthyThreshold int    `json:"unhealthy_threshold"`
}

// What a health check says of a target.
const (
	HealthHealthy   = "healthy"
	HealthUnhealthy = "unhealthy"
	HealthUnknown   = "unknown"
)

// Balancer is a load balancer as the API shows it.
type Balancer struct {
	ID string `json:"id"`
	BalancerSpec
	Status    string   `json:"status"`
	Addresses []string `json:"addresses"`
	// TargetHealth says of each target "healthy", "unhealthy" or "unknown".
	TargetHealth map[string]string `json:"target_health"`
	// Doors are the local addresses that really listen, by listener such as "tcp/80".
	Doors map[string]string `json:"doors,omitempty"`
	// Operations are what a change goes on as, none when the answer is final.
	Operations []string `json:"operations,omitempty"`
}
