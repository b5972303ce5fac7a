package hcloud

import "slices"

// Service is one port of a load balancer.
type Service struct {
	Protocol        string       `json:"protocol"`
	ListenPort      int          `json:"listen_port"`
	DestinationPort int          `json:"destination_port"`
	Proxyprotocol   bool         `json:"proxyprotocol"`
	HTTP            *ServiceHTTP `json:"http"`
	HealthCheck     HealthCheck  `json:"health_check"`
}

// ServiceHTTP are the options of http and https. Times are in seconds.
type ServiceHTTP struct {
	CookieName     string  `json:"cookie_name"`
	CookieLifetime int     `json:"cookie_lifetime"`
	Certificates   []int64 `json:"certificates"`
	RedirectHTTP   bool    `json:"redirect_http"`
	StickySessions bool    `json:"sticky_sessions"`
	TimeoutIdle    int     `json:"timeout_idle"`
}

// HealthCheck is how targets are checked. Times are in seconds.
type HealthCheck struct {
	Protocol string           `json:"protocol"`
	Port     int              `json:"port"`
	Interval int              `json:"interval"`
	Timeout  int              `json:"timeout"`
	Retries  int              `json:"retries"`
	HTTP     *HealthCheckHTTP `json:"http"`
}

// HealthCheckHTTP are the options of checks over http.
type HealthCheckHTTP struct {
	Domain      string   `json:"domain"`
	Path        string   `json:"path"`
	Response    string   `json:"response"`
	StatusCodes []string `json:"status_codes"`
	TLS         bool     `json:"tls"`
}

// The protocols.
const (
	tcp   = "tcp"
	plain = "http"
	https = "https"
)

func (s *Service) clone() Service {
	out := *s
	if s.HTTP != nil {
		options := *s.HTTP
		options.Certificates = append([]int64{}, options.Certificates...)
		out.HTTP = &options
	}
	if s.HealthCheck.HTTP != nil {
		options := *s.HealthCheck.HTTP
		options.StatusCodes = append([]string{}, options.StatusCodes...)
		out.HealthCheck.HTTP = &options
	}
	return out
}

// serviceRequest asks for a service, whole or for a change of what is given.
type serviceRequest struct {
	Protocol        *string       `json:"protocol"`
	ListenPort      *int          `json:"listen_port"`
	DestinationPort *int          `json:"destination_port"`
	Proxyprotocol   *bool         `json:"proxyprotocol"`
	HTTP            *httpRequest  `json:"http"`
	HealthCheck     *checkRequest `json:"health_check"`
}

type httpRequest struct {
	CookieName     *string  `json:"cookie_name"`
	CookieLifetime *int     `json:"cookie_lifetime"`
	Certificates   *[]int64 `json:"certificates"`
	RedirectHTTP   *bool    `json:"redirect_http"`
	StickySessions *bool    `json:"sticky_sessions"`
	TimeoutIdle    *int     `json:"timeout_idle"`
}

type checkRequest struct {
	Protocol *string           `json:"protocol"`
	Port     *int              `json:"port"`
	Interval *int              `json:"interval"`
	Timeout  *int              `json:"timeout"`
	Retries  *int              `json:"retries"`
	HTTP     *checkHTTPRequest `json:"http"`
}

type checkHTTPRequest struct {
	Domain      *string   `json:"domain"`
	Path        *string   `json:"path"`
	Response    *string   `json:"response"`
	StatusCodes *[]string `json:"status_codes"`
	TLS         *bool     `json:"tls"`
}

// set takes over what is given.
func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// on returns the service that the request makes of an old one, or of none.
func (r *serviceRequest) on(old Service) Service {
	s := old.clone()
	set(&s.Protocol, r.Protocol)
	set(&s.ListenPort, r.ListenPort)
	set(&s.DestinationPort, r.DestinationPort)
	set(&s.Proxyprotocol, r.Proxyprotocol)
	if s.Protocol != tcp && old.Protocol == "" {
		s.defaultPorts(r)
	}
	switch {
	case s.Protocol == tcp && r.HTTP == nil:
		s.HTTP = nil
	case s.HTTP == nil:
		s.HTTP = &ServiceHTTP{CookieName: "HCLBSTICKY", CookieLifetime: 300, Certificates: []int64{}, TimeoutIdle: defaultIdle}
	}
	if r.HTTP != nil {
		r.HTTP.on(s.HTTP)
	}
	if s.HealthCheck.Protocol == "" {
		s.HealthCheck = HealthCheck{Protocol: tcp, Port: s.DestinationPort, Interval: 15, Timeout: 10, Retries: 3}
		if s.Protocol != tcp {
			s.HealthCheck.Protocol = plain
		}
	}
	s.HealthCheck.apply(r.HealthCheck)
	return s
}

// defaultIdle is the idle timeout of http in seconds.
const defaultIdle = 60

// defaultPorts fills the ports that a new http or https service leaves out.
func (s *Service) defaultPorts(r *serviceRequest) {
	if r.ListenPort == nil {
		s.ListenPort = map[string]int{plain: 80, https: 443}[s.Protocol]
	}
	if r.DestinationPort == nil {
		s.DestinationPort = 80
	}
}

func (r *httpRequest) on(h *ServiceHTTP) {
	set(&h.CookieName, r.CookieName)
	set(&h.CookieLifetime, r.CookieLifetime)
	set(&h.Certificates, r.Certificates)
	set(&h.RedirectHTTP, r.RedirectHTTP)
	set(&h.StickySessions, r.StickySessions)
	set(&h.TimeoutIdle, r.TimeoutIdle)
}

// apply changes what a request gives, nil for nothing.
func (h *HealthCheck) apply(r *checkRequest) {
	if r == nil {
		r = &checkRequest{}
	}
	set(&h.Protocol, r.Protocol)
	set(&h.Port, r.Port)
	set(&h.Interval, r.Interval)
	set(&h.Timeout, r.Timeout)
	set(&h.Retries, r.Retries)
	switch {
	case h.Protocol == tcp && r.HTTP == nil:
		h.HTTP = nil
	case h.HTTP == nil:
		h.HTTP = &HealthCheckHTTP{Path: "/", StatusCodes: []string{"2??", "3??"}}
	}
	if r.HTTP != nil {
		set(&h.HTTP.Domain, r.HTTP.Domain)
		set(&h.HTTP.Path, r.HTTP.Path)
		set(&h.HTTP.Response, r.HTTP.Response)
		set(&h.HTTP.StatusCodes, r.HTTP.StatusCodes)
		set(&h.HTTP.TLS, r.HTTP.TLS)
	}
}

// at returns the position of the service on a port, -1 for none.
func (b *Balancer) at(port int) int {
	return slices.IndexFunc(b.Services, func(s Service) bool { return s.ListenPort == port })
}
