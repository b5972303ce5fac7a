package octavia

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Protocols of listeners, pools and monitors
// (https://docs.openstack.org/api-ref/load-balancer/v2/#protocol-combinations).
const (
	protocolTerminated = "TERMINATED_HTTPS"
	protocolHTTP       = "HTTP"
	protocolProxy      = "PROXY"
	protocolProxyV2    = "PROXYV2"
	monitorUDP         = "UDP-CONNECT"
	sourceIP           = "SOURCE_IP"
	forwardedFor       = "X-Forwarded-For"
)

// Fields only this cloud's listeners have.
const (
	fieldConnectionLimit = "connectionLimit"
	fieldForwardedFor    = "forwardedFor"
	fieldTLS             = "tlsContainer"
	fieldClientData      = "timeoutClientData"
	fieldMemberConnect   = "timeoutMemberConnect"
	fieldMemberData      = "timeoutMemberData"
	fieldTCPInspect      = "timeoutTCPInspect"
	fieldAllowed         = "allowedCIDRs"
	fieldMethod          = "method"
	fieldPersistence     = "persistence"
	fieldOwned           = "tagged"
)

// wantedListeners returns a listener for each port.
func (d *Balancers) wantedListeners(spec cloud.Spec) ([]cloud.Listener, error) {
	var list []cloud.Listener
	var problems []error
	for _, port := range spec.Ports {
		health, err := d.wantedHealth(spec, port)
		problems = append(problems, err)
		list = append(list, cloud.Listener{
			Protocol:       listenerProtocol(spec, port),
			Port:           port.Port,
			TargetProtocol: poolProtocol(spec, port),
			TargetPort:     port.NodePort,
			Health:         health,
			ProviderFields: d.listenerExtras(spec, port),
		})
	}
	cloud.SortListeners(list)
	return list, errors.Join(problems...)
}

// listenerProtocol:
//
//	port       TLS  X-Forwarded-For  listener
//	TCP        yes  –                TERMINATED_HTTPS
//	TCP        no   yes              HTTP
//	any other  –    –                as the port
func listenerProtocol(spec cloud.Spec, port cloud.Port) cloud.Protocol {
	switch {
	case port.Protocol != cloud.ProtocolTCP:
		return port.Protocol
	case option.TLS.In(spec.Options) != "":
		return protocolTerminated
	case option.ForwardedFor.Bool(spec.Options):
		return protocolHTTP
	}
	return port.Protocol
}

// poolProtocol:
//
//	port       PROXY protocol  listener                pool
//	TCP        v1, v2          –                       PROXY, PROXYV2
//	TCP        no              HTTP, TERMINATED_HTTPS  HTTP
//	any other  –               –                       as the port
func poolProtocol(spec cloud.Spec, port cloud.Port) cloud.Protocol {
	if port.Protocol != cloud.ProtocolTCP {
		return port.Protocol
	}
	switch option.ProxyProtocol.In(spec.Options) {
	case option.ProxyV1:
		return protocolProxy
	case option.ProxyV2:
		return protocolProxyV2
	}
	if listenerProtocol(spec, port) != cloud.ProtocolTCP {
		return protocolHTTP
	}
	return port.Protocol
}

func (d *Balancers) listenerExtras(spec cloud.Spec, port cloud.Port) map[string]string {
	o := spec.Options
	extras := map[string]string{
		fieldConnectionLimit: option.ConnectionLimit.In(o),
		fieldMethod:          option.Method.In(o),
		fieldPersistence:     "",
	}
	if extras[fieldMethod] == "" {
		extras[fieldMethod] = config.MethodRoundRobin
	}
	if spec.ClientIP {
		extras[fieldPersistence] = sourceIP
	}
	if d.can(ableTags) {
		extras[fieldOwned] = strconv.FormatBool(true)
	}
	if port.Protocol == cloud.ProtocolTCP {
		extras[fieldForwardedFor] = strconv.FormatBool(option.ForwardedFor.Bool(o))
		extras[fieldTLS] = option.TLS.In(o)
	}
	if d.can(ableListenerTimeouts) {
		extras[fieldClientData], extras[fieldMemberConnect] = option.ClientData.In(o), option.MemberConnect.In(o)
		extras[fieldMemberData], extras[fieldTCPInspect] = option.MemberData.In(o), option.TCPInspect.In(o)
	}
	if d.can(ableAllowedCIDRs) {
		extras[fieldAllowed] = strings.Join(allowed(spec), ",")
	}
	return extras
}

// allowed returns the networks that may connect. The API refuses those of a family the balancer
// has no address of.
//
//	source ranges  families  allowed
//	some           –         those of the families
//	none           one       explicitly everybody, as upstream writes it
//	none           both      nothing said: Octavia up to Zed makes rules of the wrong family of
//	                         what is said, and the balancer fails
func allowed(spec cloud.Spec) []string {
	switch list := sourceRanges(spec); {
	case len(list) > 0:
		return list
	case onBoth(spec):
		return nil
	}
	return []string{everyone(onIPv6(spec))}
}

// sourceRanges are the ranges of the families the balancer has. Where all are of the other one
// nobody may connect, not everybody.
func sourceRanges(spec cloud.Spec) []string {
	list := familiar(spec)
	if len(spec.SourceRanges) > 0 && len(list) == 0 {
		return []string{nobody(onIPv6(spec))}
	}
	return list
}

func familiar(spec cloud.Spec) []string {
	var list []string
	for _, p := range spec.SourceRanges {
		if onBoth(spec) || p.Addr().Is4() != onIPv6(spec) {
			list = append(list, p.String())
		}
	}
	slices.Sort(list)
	return list
}

// onBoth reports whether the balancer has an address of each family: as it is, or as the Service
// asks where it is not known yet.
func onBoth(spec cloud.Spec) bool {
	if spec.Lookups[lookupVIPFamily] != "" {
		return spec.Lookups[lookupSecondFamily] != ""
	}
	return spec.DualStack
}

// nobody is a network from which no client comes (RFC 5737, RFC 3849).
func nobody(ipv6 bool) string {
	if ipv6 {
		return "2001:db8::/128"
	}
	return "192.0.2.0/32"
}

// onIPv6 reports whether the balancer's address is IPv6: as it is, or as the Service asks where
// it is not known yet.
func onIPv6(spec cloud.Spec) bool {
	if family := spec.Lookups[lookupVIPFamily]; family != "" {
		return family == "6"
	}
	return spec.IPv6
}

// wantedHealth returns the monitor of a port's pool, nil for none:
//
//	port  Local  HTTP possible                 monitor
//	any   yes    not with ovn; UDP from 2.16   HTTP GET /healthz at the health check node port
//	TCP   –      –                             TCP
//	UDP   –      –                             UDP-CONNECT
//	SCTP  –      –                             SCTP
func (d *Balancers) wantedHealth(spec cloud.Spec, port cloud.Port) (*cloud.Health, error) {
	if !option.Monitor.Bool(spec.Options) {
		return nil, nil
	}
	h := &cloud.Health{
		Protocol: port.Protocol,
		Interval: option.MonitorDelay.Duration(spec.Options), Timeout: option.MonitorTimeout.Duration(spec.Options),
		Healthy: option.MonitorRetries.Int(spec.Options), Unhealthy: option.MonitorRetriesDown.Int(spec.Options),
	}
	if port.Protocol == cloud.ProtocolUDP {
		h.Protocol = monitorUDP
	}
	able := d.config.Provider != config.ProviderOVN && (port.Protocol != cloud.ProtocolUDP || d.can(ableUdpHTTPMonitor))
	if spec.Local && able {
		h.Protocol, h.Path = protocolHTTP, "/healthz"
	}
	if h.Protocol == monitorUDP && h.Interval < leastUDPDelay {
		return nil, &cloud.Invalid{Field: option.MonitorDelay.Name, Value: option.MonitorDelay.In(spec.Options), Want: fmt.Sprintf("want at least %d seconds for UDP ports", int(leastUDPDelay/time.Second))}
	}
	return h, nil
}

// leastUDPDelay is the API's default least delay of UDP-CONNECT monitors
// (octavia.conf [api_settings] udp_connect_min_interval_health_monitor).
const leastUDPDelay = 3 * time.Second

// cidrList is empty, and not nothing, where everybody may connect: nothing would change nothing.
func cidrList(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}

// portIndex is the place of a listener's port in the Service, which its name has.
func portIndex(l cloud.Listener, spec cloud.Spec) int {
	return max(0, slices.IndexFunc(spec.Ports, func(p cloud.Port) bool { return p.Listener().Key() == l.Key() }))
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
