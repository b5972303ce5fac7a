package desired

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Everyone is the network that every client of a family is in.
func Everyone(ipv6 bool) string {
	if ipv6 {
		return "::/0"
	}
	return "0.0.0.0/0"
}

// Protocols of listeners, pools and monitors
// (https://docs.openstack.org/api-ref/load-balancer/v2/#protocol-combinations).
const (
	ProtocolTerminated = "TERMINATED_HTTPS"
	protocolProxy      = "PROXY"
	protocolProxyV2    = "PROXYV2"
	monitorUDP         = "UDP-CONNECT"
	sourceIP           = "SOURCE_IP"
	ForwardedFor       = "X-Forwarded-For"
)

// Fields only this cloud's listeners have.
const (
	FieldConnectionLimit = "connectionLimit"
	FieldForwardedFor    = "forwardedFor"
	FieldTLS             = "tlsContainer"
	FieldClientData      = "timeoutClientData"
	FieldMemberConnect   = "timeoutMemberConnect"
	FieldMemberData      = "timeoutMemberData"
	FieldTCPInspect      = "timeoutTCPInspect"
	FieldAllowed         = "allowedCIDRs"
	FieldMethod          = "method"
	FieldPersistence     = "persistence"
	FieldOwned           = "tagged"
)

// wantedListeners returns a listener for each port.
func (r *Rules) wantedListeners(in cloud.Input) ([]cloud.Listener, error) {
	var list []cloud.Listener
	var problems []error
	for _, port := range in.Ports {
		health, err := r.wantedHealth(in.Spec, port)
		problems = append(problems, err)
		list = append(list, cloud.Listener{
			Protocol:       listenerProtocol(in.Spec, port),
			Port:           port.Port,
			TargetProtocol: poolProtocol(in.Spec, port),
			TargetPort:     port.NodePort,
			Health:         health,
			ProviderFields: r.listenerFields(in, port),
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
	case option.TerminatesAt(spec.Options, port.Port):
		return ProtocolTerminated
	case option.ForwardedFor.Bool(spec.Options):
		return cloud.ProtocolHTTP
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
		return cloud.ProtocolHTTP
	}
	return port.Protocol
}

func (r *Rules) listenerFields(in cloud.Input, port cloud.Port) map[string]string {
	o := in.Options
	fields := map[string]string{
		FieldConnectionLimit: option.ConnectionLimit.In(o),
		FieldMethod:          option.Method.In(o),
		FieldPersistence:     "",
	}
	if fields[FieldMethod] == "" {
		fields[FieldMethod] = config.MethodRoundRobin
	}
	if in.ClientIP {
		fields[FieldPersistence] = sourceIP
	}
	if r.Can(AbleTags) {
		fields[FieldOwned] = strconv.FormatBool(true)
	}
	if port.Protocol == cloud.ProtocolTCP {
		fields[FieldForwardedFor] = strconv.FormatBool(option.ForwardedFor.Bool(o))
		fields[FieldTLS] = ""
		if option.TerminatesAt(o, port.Port) {
			fields[FieldTLS] = option.TLS.In(o)
		}
	}
	if r.Can(ableListenerTimeouts) {
		fields[FieldClientData], fields[FieldMemberConnect] = option.Silence(o, option.ClientData), option.MemberConnect.In(o)
		fields[FieldMemberData], fields[FieldTCPInspect] = option.Silence(o, option.MemberData), option.TCPInspect.In(o)
	}
	if r.Can(ableAllowedCIDRs) {
		fields[FieldAllowed] = strings.Join(r.Allowed(in), ",")
	}
	return fields
}

// wantedHealth returns the monitor of a port's pool, nil for none:
//
//	port  Local  HTTP possible                 monitor
//	any   yes    not with ovn; UDP from 2.16   HTTP GET /healthz at the health check node port
//	TCP   –      –                             TCP
//	UDP   –      –                             UDP-CONNECT
//	SCTP  –      –                             SCTP
//
// The portable keys ask for a check of the Service's own instead, see ownHealth.
func (r *Rules) wantedHealth(spec cloud.Spec, port cloud.Port) (*cloud.Health, error) {
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
	own, err := r.ownHealth(spec, port)
	if err != nil {
		return nil, err
	}
	able := r.Config.Provider != config.ProviderOVN && (port.Protocol != cloud.ProtocolUDP || r.Can(ableUdpHTTPMonitor))
	switch {
	case own != nil:
		h.Protocol, h.Port, h.Path = own.Protocol, own.Port, own.Path
	case spec.Local && able:
		h.Protocol, h.Path = cloud.ProtocolHTTP, "/healthz"
	}
	if h.Protocol == monitorUDP && h.Interval < leastUDPDelay {
		return nil, &cloud.Invalid{Field: option.MonitorDelay.Name, Value: option.MonitorDelay.In(spec.Options), Want: fmt.Sprintf("want at least %d seconds for UDP ports", int(leastUDPDelay/time.Second))}
	}
	return h, nil
}

// ownHealth is the check of the Service's own port that the portable keys ask for, nil for none: a member
// is checked at its monitor port. The ovn provider has none, see Impossible. Pools of other protocols than TCP
// take no such check where the API is old, and none with https.
func (r *Rules) ownHealth(spec cloud.Spec, port cloud.Port) (*cloud.Health, error) {
	own, err := annotation.OwnCheck(spec)
	if err != nil || own == nil || !r.checksOwn(own, port.Protocol) {
		return nil, err
	}
	return own, nil
}

func (r *Rules) checksOwn(own *cloud.Health, pool cloud.Protocol) bool {
	return pool == cloud.ProtocolTCP || r.Can(ableUdpHTTPMonitor) && own.Protocol != cloud.ProtocolHTTPS
}

// leastUDPDelay is the API's default least delay of UDP-CONNECT monitors
// (octavia.conf [api_settings] udp_connect_min_interval_health_monitor).
const leastUDPDelay = 3 * time.Second

// WantedAt is the listener the Service wants at that key, an empty one when it wants none.
func (r *Rules) WantedAt(key string, in cloud.Input) cloud.Listener {
	for _, port := range in.Ports {
		if port.Listener().Key() == key {
			return cloud.Listener{TargetPort: port.NodePort, ProviderFields: r.listenerFields(in, port)}
		}
	}
	return cloud.Listener{}
}

// ObservedAllowed takes a listener that admits everybody without saying so for one that says so.
func ObservedAllowed(l object.Listener, ipv6 bool, wanted string) string {
	list := slices.Sorted(slices.Values(l.AllowedCIDRs))
	if open := Everyone(ipv6); len(list) == 0 && wanted == open {
		return open
	}
	return strings.Join(list, ",")
}

// SplitAllowed is empty, and not nothing, where everybody may connect: nothing would change nothing.
func SplitAllowed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}
