package digitalocean

import (
	"cmp"
	"slices"
)

// balancerRequest is the body of POST and PUT /v2/load_balancers. A field that
// is left out is nil and gets its default, in an update too: that is the API's
// documented behaviour. Left-out immutable fields keep their value (guess).
type balancerRequest struct {
	Name                         string              `json:"name"`
	ProjectID                    string              `json:"project_id"`
	Algorithm                    string              `json:"algorithm"`
	Region                       string              `json:"region"`
	Size                         *string             `json:"size"`
	SizeUnit                     *int                `json:"size_unit"`
	Type                         string              `json:"type"`
	ForwardingRules              []ruleRequest       `json:"forwarding_rules"`
	HealthCheck                  *healthCheckRequest `json:"health_check"`
	StickySessions               *StickySessions     `json:"sticky_sessions"`
	DropletIDs                   []int               `json:"droplet_ids"`
	Tag                          string              `json:"tag"`
	Tags                         []string            `json:"tags"`
	RedirectHTTPToHTTPS          bool                `json:"redirect_http_to_https"`
	EnableProxyProtocol          bool                `json:"enable_proxy_protocol"`
	EnableBackendKeepalive       bool                `json:"enable_backend_keepalive"`
	VPCUUID                      string              `json:"vpc_uuid"`
	SubnetUUID                   string              `json:"subnet_uuid"`
	DisableLetsEncryptDNSRecords bool                `json:"disable_lets_encrypt_dns_records"`
	ValidateOnly                 bool                `json:"validate_only"`
	HTTPIdleTimeoutSeconds       *int                `json:"http_idle_timeout_seconds"`
	Firewall                     *BalancerFirewall   `json:"firewall"`
	Domains                      []Domain            `json:"domains"`
	GLBSettings                  *GLBSettings        `json:"glb_settings"`
	TargetLoadBalancerIDs        []string            `json:"target_load_balancer_ids"`
	Network                      string              `json:"network"`
	NetworkStack                 string              `json:"network_stack"`
	TLSCipherPolicy              string              `json:"tls_cipher_policy"`
	IP                           string              `json:"ip"`
}

type ruleRequest struct {
	EntryProtocol  string `json:"entry_protocol"`
	EntryPort      int    `json:"entry_port"`
	TargetProtocol string `json:"target_protocol"`
	TargetPort     *int   `json:"target_port"`
	CertificateID  string `json:"certificate_id"`
	TLSPassthrough bool   `json:"tls_passthrough"`
}

type healthCheckRequest struct {
	Protocol               *string `json:"protocol"`
	Port                   *int    `json:"port"`
	Path                   *string `json:"path"`
	CheckIntervalSeconds   *int    `json:"check_interval_seconds"`
	ResponseTimeoutSeconds *int    `json:"response_timeout_seconds"`
	HealthyThreshold       *int    `json:"healthy_threshold"`
	UnhealthyThreshold     *int    `json:"unhealthy_threshold"`
	ProxyProtocol          *bool   `json:"proxy_protocol"`
}

// sizeUnits are the nodes of the deprecated size slugs.
var sizeUnits = map[string]int{"lb-small": 1, "lb-medium": 3, "lb-large": 6}

// balancer turns a request into the balancer it describes, defaults filled in.
// existing is what an update applies to, else the zero value with the region.
func (q *balancerRequest) balancer(existing Balancer) Balancer {
	b := Balancer{
		ID: existing.ID, IP: existing.IP, IPv6: existing.IPv6, Status: existing.Status, CreatedAt: existing.CreatedAt,
		Name: q.Name, ProjectID: cmp.Or(q.ProjectID, defaultProject),
		Type:         cmp.Or(q.Type, existing.Type, TypeRegional),
		Network:      cmp.Or(q.Network, existing.Network, NetworkExternal),
		NetworkStack: cmp.Or(q.NetworkStack, existing.NetworkStack, StackIPv4),
		VPCUUID:      cmp.Or(q.VPCUUID, existing.VPCUUID),
		SubnetUUID:   cmp.Or(q.SubnetUUID, existing.SubnetUUID),
		Region:       existing.Region, Tags: existing.Tags,
		Algorithm: "round_robin", // deprecated: the API ignores the value
		SizeUnit:  q.units(), HealthCheck: q.HealthCheck.check(), StickySessions: StickySessions{Type: "none"},
		Tag: q.Tag, DropletIDs: distinct(q.DropletIDs),
		RedirectHTTPToHTTPS: q.RedirectHTTPToHTTPS, EnableProxyProtocol: q.EnableProxyProtocol,
		EnableBackendKeepalive:       q.EnableBackendKeepalive,
		DisableLetsEncryptDNSRecords: q.DisableLetsEncryptDNSRecords,
		HTTPIdleTimeoutSeconds:       or(q.HTTPIdleTimeoutSeconds, 60),
		TLSCipherPolicy:              cmp.Or(q.TLSCipherPolicy, "DEFAULT"),
		Domains:                      q.Domains, GLBSettings: q.GLBSettings, TargetLoadBalancerIDs: q.TargetLoadBalancerIDs,
	}
	if q.StickySessions != nil && q.StickySessions.Type != "" {
		b.StickySessions = *q.StickySessions
	}
	if q.Firewall != nil {
		b.Firewall = *q.Firewall
	}
	if b.Type == TypeRegionalNetwork && q.HTTPIdleTimeoutSeconds == nil {
		b.HTTPIdleTimeoutSeconds = 0
	}
	for _, rule := range q.ForwardingRules {
		b.ForwardingRules = append(b.ForwardingRules, rule.rule(b.Type))
	}
	return b
}

// defaultProject is where everything lands that names no project.
const defaultProject = "00000000-d0d0-4000-8000-0000000000aa"

func (q *balancerRequest) units() int {
	if q.Size != nil {
		return sizeUnits[*q.Size]
	}
	return or(q.SizeUnit, 1)
}

// rule: a network balancer passes traffic through, so that the target port is
// the entry port when left out (guess).
func (q ruleRequest) rule(kind string) ForwardingRule {
	port := 0
	if kind == TypeRegionalNetwork {
		port = q.EntryPort
	}
	return ForwardingRule{
		EntryProtocol: q.EntryProtocol, EntryPort: q.EntryPort,
		TargetProtocol: q.TargetProtocol, TargetPort: or(q.TargetPort, port),
		CertificateID: q.CertificateID, TLSPassthrough: q.TLSPassthrough,
	}
}

// check fills in the documented defaults (thresholds: guess, the vendor's own
// examples and clients say 5 and 3).
func (q *healthCheckRequest) check() HealthCheck {
	if q == nil {
		q = &healthCheckRequest{}
	}
	return HealthCheck{
		Protocol: or(q.Protocol, "http"), Port: or(q.Port, 80), Path: or(q.Path, "/"),
		CheckIntervalSeconds: or(q.CheckIntervalSeconds, 10), ResponseTimeoutSeconds: or(q.ResponseTimeoutSeconds, 5),
		HealthyThreshold: or(q.HealthyThreshold, 5), UnhealthyThreshold: or(q.UnhealthyThreshold, 3),
		ProxyProtocol: q.ProxyProtocol,
	}
}

// or returns what p points to, or the default.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// distinct returns the values in order, each once.
func distinct[T comparable](list []T) []T {
	var once []T
	for _, v := range list {
		if !slices.Contains(once, v) {
			once = append(once, v)
		}
	}
	return once
}
