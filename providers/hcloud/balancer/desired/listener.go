package desired

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// DefaultCookie is the name of the cookie where none is given.
const DefaultCookie = "HCLBSTICKY"

// Fields of health checks that only this cloud has.
const (
	FieldDomain   = "domain"
	FieldStatuses = "statusCodes"
	FieldTLS      = "tls"
)

// ManagedPrefix begins the value of the certificate field where it is the one that is made for the
// Service: its domains follow.
const ManagedPrefix = "managed:"

// listeners adds a listener for each port.
func (r *request) listeners(v *cloud.Balancer) {
	own, err := annotation.OwnCheck(r.Spec)
	if err != nil {
		r.errs = append(r.errs, err)
	}
	certificates, http := map[string]bool{}, false
	for _, port := range r.Ports {
		l := port.Listener()
		l.Protocol, l.TargetProtocol = r.protocolOf(port.Port), cloud.ProtocolTCP
		l.ProviderFields = map[string]string{cloud.FieldProxyProtocol: cmp.Or(proxyProtocol.OfPort(r.Options, port.Port), "false")}
		if l.Protocol != cloud.ProtocolTCP {
			http, l.TargetProtocol = true, cloud.ProtocolHTTP
			r.http(l)
		}
		for _, id := range Items(l.ProviderFields[cloud.FieldCertificate]) {
			certificates[id] = true
		}
		l.Health = r.health(l, own)
		v.Listeners = append(v.Listeners, l)
	}
	cloud.SortListeners(v.Listeners)
	if r.found.Limits != nil {
		r.atMost(certificate.Name, len(certificates), r.found.Limits.Certificates, "certificates")
	}
	if len(certificates) == 0 && certificate.Has(r.Options) && tlsPorts.Has(r.Options) && len(r.errs) == 0 {
		r.warn(certificate.Name, "it has no effect: the Service has no port "+tlsPorts.In(r.Options)+" that speaks https, see "+tlsPorts.Name)
	}
	if !http {
		for _, key := range []annotation.Key{cookie, idleTimeout, sticky, redirect} {
			if key.Has(r.Options) {
				r.warn(key.Name, "it has no effect: no port speaks http or https")
			}
		}
	}
}

// protocolOf returns the protocol of a port: what is said of it, else https where it terminates TLS.
func (r *request) protocolOf(port int) cloud.Protocol {
	switch text := protocol.OfPort(r.Options, port); {
	case text != "":
		return cloud.ProtocolOf(text)
	case slices.Contains(tlsPorts.Ports(r.Options), port) && (IsManaged(r.Spec) || certificate.OfPort(r.Options, port) != ""):
		return cloud.ProtocolHTTPS
	}
	return cloud.ProtocolTCP
}

// http fills in the fields of a listener that speaks HTTP.
func (r *request) http(l cloud.Listener) {
	f := l.ProviderFields
	f[cloud.FieldSessionCookie], f[cloud.FieldSessionCookieTTL], f[cloud.FieldCertificate], f[FieldRedirect] = "", "", "", "false"
	f[cloud.FieldIdleTimeout] = idleTimeout.In(r.Options)
	if sticky.Bool(r.Options) {
		f[cloud.FieldSessionCookie] = cmp.Or(cookie.In(r.Options), DefaultCookie)
		f[cloud.FieldSessionCookieTTL] = CookieTTL.In(r.Options)
	}
	if l.Protocol == cloud.ProtocolHTTPS {
		f[FieldRedirect] = strconv.FormatBool(redirect.Bool(r.Options))
		f[cloud.FieldCertificate] = r.certificateOf(l.Port)
	}
}

// certificateOf returns what the certificate field of a port has to be.
func (r *request) certificateOf(port int) string {
	r.needCertificate(port)
	if IsManaged(r.Spec) {
		return ManagedPrefix + Domains.In(r.Options)
	}
	var ids []string
	for _, item := range Items(certificate.OfPort(r.Options, port)) {
		id := item
		if _, isID := checkID(item); !isID {
			found, exists := r.found.Certificates[item]
			if id = strconv.FormatInt(found, 10); !exists {
				id = ""
				r.refuse(certificate, "there is no certificate "+item+" in the project: want the id or name of one")
			}
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), ",")
}

// needCertificate refuses a port that speaks https and has neither a certificate nor the domains of a managed one.
func (r *request) needCertificate(port int) {
	switch {
	case IsManaged(r.Spec) && !Domains.Has(r.Options):
		r.refuse(Domains, "want the domains of the managed certificate")
	case !IsManaged(r.Spec) && len(Items(certificate.OfPort(r.Options, port))) == 0:
		r.refuse(certificate, fmt.Sprintf("want the certificate of port %d, which speaks https", port))
	}
}

// NamedCertificates are the certificates that the Service names other than by id.
func NamedCertificates(spec cloud.Spec) []string {
	if IsManaged(spec) {
		return nil
	}
	all := Items(certificate.OfPort(spec.Options, 0))
	for _, port := range spec.Ports {
		all = append(all, Items(certificate.OfPort(spec.Options, port.Port))...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(item string) bool { _, isID := checkID(item); return isID })
}

// IsManaged reports whether the Service asks for a managed certificate.
func IsManaged(spec cloud.Spec) bool { return certificateType.In(spec.Options) == "managed" }

// health returns the check of a port, by the first row that fits:
//
//	asked for                                         checked
//	upstream's keys for protocol, port or path        the node port, or the one that is given
//	the portable ones                                 the node port of the Service port that is given
//	nothing, and externalTrafficPolicy: Local         healthCheckNodePort
//	interval, timeout or retries                      the node port, with the protocol of the port
//	nothing                                           TCP on the node port
func (r *request) health(l cloud.Listener, own *cloud.Health) *cloud.Health {
	h := &cloud.Health{
		Protocol: cloud.ProtocolTCP, Port: l.TargetPort, Interval: healthInterval.Duration(r.Options), Timeout: healthTimeout.Duration(r.Options),
		Healthy: healthRetries.Int(r.Options), Unhealthy: healthRetries.Int(r.Options),
	}
	http := r.has(checkPath, checkDomain, checkTLS, statusCodes)
	switch {
	case http || r.has(nodeProtocol, nodePort):
		h.Protocol = l.Protocol
		if http && l.Protocol == cloud.ProtocolTCP {
			h.Protocol = cloud.ProtocolHTTP
		}
		if r.has(nodeProtocol) {
			h.Protocol = cloud.ProtocolOf(nodeProtocol.In(r.Options))
		}
		h.Port = cmp.Or(nodePort.Int(r.Options), l.TargetPort)
		h.Path = annotation.CheckPath(h.Protocol, checkPath.In(r.Options))
	case own != nil:
		h.Protocol, h.Port, h.Path = own.Protocol, own.Port, own.Path
	case r.Local:
		h.Protocol, h.Port, h.Path = cloud.ProtocolHTTP, r.HealthPort, "/healthz"
	case r.has(healthInterval, healthTimeout, healthRetries):
		h.Protocol, h.Path = l.Protocol, annotation.CheckPath(l.Protocol, "")
	}
	if h.Protocol != cloud.ProtocolTCP {
		h.ProviderFields = map[string]string{
			FieldDomain: strings.ToLower(checkDomain.In(r.Options)), FieldStatuses: statusCodes.In(r.Options), FieldTLS: strconv.FormatBool(checkTLS.Bool(r.Options)),
		}
	}
	return h
}

// has reports whether one of the keys was given.
func (r *request) has(keys ...annotation.Key) bool { return annotation.Given(r.Options, keys...) }

// IdleCheck reports whether a Service has keys of an HTTP check that upstream does not read.
func IdleCheck(spec cloud.Spec, _ cloud.Observed) bool {
	return annotation.Given(spec.Options, checkPath, checkDomain) && !annotation.Given(spec.Options, nodeProtocol, nodePort)
}
