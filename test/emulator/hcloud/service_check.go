package hcloud

import (
	"regexp"
	"slices"
	"strings"
)

var serviceRules = []Rule{
	{ID: "service/protocol", Where: "services", Text: "the protocol is tcp, http or https", Source: fromVendor},
	{ID: "service/ports", Where: "services", Text: "ports are 1 to 65535; a tcp service has both, http listens on 80 and https on 443 by default, both lead to 80", Source: fromVendor},
	{ID: "service/port-taken", Where: "POST /load_balancers add_service", Text: "no service of the balancer listens on the port, and with redirect_http none on 80", Source: fromVendor, Status: 412, Code: "source_port_already_used"},
	{ID: "service/absent", Where: "update_service delete_service", Text: "a service listens on the port", Source: guess, IfWrong: "another code; the driver reads the balancer before it changes a service", Status: 404, Code: "not_found"},
	{ID: "service/limit", Where: "POST /load_balancers add_service", Text: "the type's max_services is not reached", Source: guess, IfWrong: "another code; the driver counts by the type before it asks", Status: 403, Code: "resource_limit_exceeded"},
	{ID: "service/http", Where: "services", Text: "a tcp service has no http options", Source: fromUpstream},
	{ID: "service/redirect", Where: "services", Text: "redirect_http is of https only, and of the port 443", Source: fromVendor},
	{ID: "service/idle", Where: "services", Text: "timeout_idle is 30 to 300 seconds", Source: fromUpstream},
	{ID: "service/idle-default", Where: "services", Text: "timeout_idle is 60 seconds by default", Source: guess, IfWrong: "taking the annotation away leaves another value; the default is one constant of the driver", Silent: true},
	{ID: "service/cookie", Where: "services", Text: "a cookie has a name and lives at least a second; HCLBSTICKY and 300 seconds by default", Source: fromVendor},
	{ID: "service/certificates", Where: "services", Text: "certificates are of https only, and https has at least one", Source: guess, IfWrong: "https without a certificate is accepted; the driver refuses it before"},
	{ID: "service/certificate-exists", Where: "services", Text: "the certificates exist in the project and have been issued", Source: guess, IfWrong: "a certificate can be used while it is issued, and a driver need not wait for it"},
	{ID: "service/certificate-limit", Where: "services", Text: "the type's max_assigned_certificates is not reached, each certificate counted once", Source: guess, IfWrong: "another code or count; the driver counts by the type before it asks", Status: 403, Code: "resource_limit_exceeded"},
	{ID: "service/update", Where: "update_service", Text: "what is left out stays as it is, in http and health_check too; a change to tcp drops the http options", Source: guess, IfWrong: "what is left out is reset: updateService sends the fields that differ, and would send all of them", Silent: true},
	{ID: "check/protocol", Where: "services", Text: "a health check is tcp, http or https", Source: fromUpstream},
	{ID: "check/numbers", Where: "services", Text: "interval is 3 to 60 seconds, timeout 1 to 60, retries 1 to 5", Source: guess, IfWrong: "other values are refused or accepted, with invalid_input in both cases"},
	{ID: "check/defaults", Where: "services", Text: "without a health check: tcp, or http for http and https, on the destination port, every 15 seconds, timeout 10, 3 retries; path /, status 2?? and 3??", Source: guess, IfWrong: "taking an annotation away leaves another value; the defaults are constants of the driver", Silent: true},
	{ID: "check/http", Where: "services", Text: "a tcp check has no http options; a path begins with / and has no space, a domain no space, % or \\", Source: fromVendor},
	{ID: "check/status", Where: "services", Text: "status codes are digits, ? and *", Source: fromVendor},
}

var statusCode = regexp.MustCompile(`^[0-9?*]{1,3}$`)

// check collects what is wrong with a service by itself.
func (s *Service) check(f *fieldErrors, at string) {
	port := func(n int) bool { return n >= 1 && n <= 65535 }
	f.check(slices.Contains([]string{tcp, plain, https}, s.Protocol), "service/protocol", at+"protocol", "is none of tcp, http, https")
	f.check(port(s.ListenPort), "service/ports", at+"listen_port", "must be between 1 and 65535")
	f.check(port(s.DestinationPort), "service/ports", at+"destination_port", "must be between 1 and 65535")
	if s.HTTP != nil {
		s.checkHTTP(f, at+"http.")
	}
	s.HealthCheck.check(f, at+"health_check.")
}

func (s *Service) checkHTTP(f *fieldErrors, at string) {
	h := s.HTTP
	f.check(s.Protocol != tcp, "service/http", strings.TrimSuffix(at, "."), "is not allowed with protocol tcp")
	f.check(!h.RedirectHTTP || (s.Protocol == https && s.ListenPort == 443), "service/redirect", at+"redirect_http", "needs protocol https and listen port 443")
	f.check(h.TimeoutIdle >= 30 && h.TimeoutIdle <= 300, "service/idle", at+"timeout_idle", "must be between 30 and 300")
	f.check(h.CookieName != "", "service/cookie", at+"cookie_name", "is empty")
	f.check(h.CookieLifetime >= 1, "service/cookie", at+"cookie_lifetime", "must be at least 1")
	f.check((s.Protocol == https) == (len(h.Certificates) > 0), "service/certificates", at+"certificates", "must be given with https, and only then")
}

func (h *HealthCheck) check(f *fieldErrors, at string) {
	within := func(field string, n, low, high int) {
		f.check(n >= low && n <= high, "check/numbers", at+field, "must be between %d and %d", low, high)
	}
	f.check(slices.Contains([]string{tcp, plain, https}, h.Protocol), "check/protocol", at+"protocol", "is none of tcp, http, https")
	f.check(h.Port >= 1 && h.Port <= 65535, "service/ports", at+"port", "must be between 1 and 65535")
	within("interval", h.Interval, 3, 60)
	within("timeout", h.Timeout, 1, 60)
	within("retries", h.Retries, 1, 5)
	if h.HTTP == nil {
		return
	}
	f.check(h.Protocol != tcp, "check/http", at+"http", "is not allowed with protocol tcp")
	f.check(strings.HasPrefix(h.HTTP.Path, "/") && !strings.Contains(h.HTTP.Path, " "), "check/http", at+"http.path", "must begin with / and have no space")
	f.check(!strings.ContainsAny(h.HTTP.Domain, " %\\"), "check/http", at+"http.domain", "must have no space, percent or backslash")
	for _, code := range h.HTTP.StatusCodes {
		f.check(statusCode.MatchString(code), "check/status", at+"http.status_codes", "%q is no status code", code)
	}
}

// fits says why a balancer can't have services: its type, ports that are taken twice, certificates.
func (p *Project) fits(t *BalancerType, services []Service, at string) error {
	if len(services) > t.MaxServices {
		return broken("service/limit", "load balancer type %s allows %d services", t.Name, t.MaxServices)
	}
	taken, certificates := map[int]bool{}, map[int64]bool{}
	for i := range services {
		s := &services[i]
		ports := []int{s.ListenPort}
		if s.HTTP != nil && s.HTTP.RedirectHTTP {
			ports = append(ports, 80)
		}
		for _, port := range ports {
			if taken[port] {
				return broken("service/port-taken", "source port %d is already used", port)
			}
			taken[port] = true
		}
		if s.HTTP == nil {
			continue
		}
		for _, id := range s.HTTP.Certificates {
			if c := p.certificates.byID[id]; c == nil || !c.issued() {
				return invalid("service/certificate-exists", at+"http.certificates", "certificate %d does not exist or is not issued", id)
			}
			certificates[id] = true
		}
	}
	if len(certificates) > t.MaxCertificates {
		return broken("service/certificate-limit", "load balancer type %s allows %d certificates", t.Name, t.MaxCertificates)
	}
	return nil
}
