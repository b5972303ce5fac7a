package desired

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// ProtocolSSL is what classic balancers call TLS without HTTP.
const ProtocolSSL cloud.Protocol = "SSL"

// backends says which protocol a listener that terminates TLS has for one of the nodes,
// as written in option.Backend.
var backends = map[string]cloud.Protocol{
	"tcp": ProtocolSSL, "ssl": ProtocolSSL, "http": cloud.ProtocolHTTPS, "https": cloud.ProtocolHTTPS,
}

// protocols returns the protocols of a listener and of the nodes behind it, and false
// when there is no such backend protocol. They are upstream's:
//
//	TLS  backend-protocol  listener  node
//	yes  –, tcp            SSL       TCP
//	yes  ssl               SSL       SSL
//	yes  http              HTTPS     HTTP
//	yes  https             HTTPS     HTTPS
//	yes  anything else     –
//	no   http              HTTP      HTTP
//	no   anything else     TCP       TCP
func protocols(tls bool, backend string) (listener, node cloud.Protocol, ok bool) {
	if tls {
		backend = cmp.Or(backend, "tcp")
		listener, ok = backends[backend]
		return listener, cloud.ProtocolOf(backend), ok
	}
	if backend == "http" {
		return cloud.ProtocolHTTP, cloud.ProtocolHTTP, true
	}
	return cloud.ProtocolTCP, cloud.ProtocolTCP, true
}

// wantedListeners are those of the Service, or every reason why there can't be.
func wantedListeners(spec cloud.Spec) ([]cloud.Listener, error) {
	var list []cloud.Listener
	var problems []error
	for i := range spec.Ports {
		l, err := wantedListener(spec, i)
		list, problems = append(list, l), append(problems, err)
	}
	cloud.SortListeners(list)
	return list, errors.Join(problems...)
}

func wantedListener(spec cloud.Spec, i int) (cloud.Listener, error) {
	port := spec.Ports[i]
	field := func(name string) string { return fmt.Sprintf("spec.ports[%d].%s", i, name) }
	switch {
	case port.Protocol != cloud.ProtocolTCP:
		return cloud.Listener{}, &cloud.Invalid{
			Field: field("protocol"), Value: string(port.Protocol),
			Want: "a Classic Load Balancer has TCP ports only; " + option.Type.Name + ": " + option.TypeNetwork + " asks for one that has UDP ports too",
		}
	case port.NodePort == 0:
		return cloud.Listener{}, &cloud.Invalid{
			Field: field("nodePort"),
			Want:  "a Classic Load Balancer reaches nodes at node ports: spec.allocateLoadBalancerNodePorts has to be true",
		}
	}
	tls, backend := option.Terminates(spec, port), option.Backend.In(spec.Options)
	front, back, ok := protocols(tls, backend)
	if !ok {
		return cloud.Listener{}, &cloud.Invalid{Field: option.Backend.Name, Value: backend, Want: `want "tcp", "ssl", "http" or "https"`}
	}
	l := cloud.Listener{
		Protocol: front, Port: port.Port, TargetProtocol: back, TargetPort: port.NodePort,
		ProviderFields: map[string]string{balancer.FieldProxy: strconv.FormatBool(option.ProxyProtocol.In(spec.Options) != option.ProxyProtocol.Default)},
	}
	if tls {
		l.ProviderFields[balancer.FieldCertificates] = option.Certificate.List(spec.Options)[0]
		l.ProviderFields[balancer.FieldTLSPolicy] = balancer.TLSPolicy(spec)
	}
	return l, nil
}

// maxTimeout is the longest time-out AWS takes (API reference, HealthCheck).
const maxTimeout = time.Minute

// Health is the health check of all listeners. Without annotations it is upstream's:
//
//	externalTrafficPolicy  shared probe  backend-protocol  target
//	Local                  –             –                 HTTP, healthCheckNodePort, /healthz
//	Cluster                yes           –                 HTTP, as configured
//	Cluster                no            https, ssl        SSL, first node port
//	Cluster                no            anything else     TCP, first node port
//
// An annotation takes the place of protocol, port or path. traffic-port is the first node port. The
// portable ones ask for a check of the Service's own.
func (s Settings) Health(spec cloud.Spec) (*cloud.Health, error) {
	own, err := annotation.OwnCheck(spec)
	if err != nil {
		return nil, err
	}
	h := cmp.Or(own, s.target(spec))
	h.Interval, h.Healthy, h.Unhealthy = 10*time.Second, 2, 6
	balancer.Repeat(h, spec.Options)
	h.Timeout = cmp.Or(option.Timeout.Duration(spec.Options), 5*time.Second)
	return h, nil
}

// target is what upstream's annotations say that is checked.
func (s Settings) target(spec cloud.Spec) *cloud.Health {
	first := 0
	if len(spec.Ports) > 0 {
		first = spec.Ports[0].NodePort
	}
	h := cloud.Health{Protocol: cloud.ProtocolTCP, Port: first}
	probe := s.Probe
	switch backend := option.Backend.In(spec.Options); {
	case spec.Local:
		h = balancer.ProxyCheck(spec)
	case probe != nil:
		h = cloud.Health{Protocol: cloud.ProtocolHTTP, Port: probe.Port, Path: probe.Path}
	case backend == "https" || backend == "ssl":
		h.Protocol = ProtocolSSL
	}
	balancer.Adjust(&h, spec.Options, first)
	return &h
}

// checkHealth refuses what AWS would.
func checkHealth(h *cloud.Health, asked map[string]string) []error {
	if h == nil {
		return nil
	}
	var problems []error
	if h.Timeout >= h.Interval {
		problems = append(problems, tooLong(h, asked))
	}
	if h.Timeout > maxTimeout {
		problems = append(problems, &cloud.Invalid{Field: option.Timeout.Name, Value: secondsText(h.Timeout), Want: "want at most 60 for a Classic Load Balancer"})
	}
	if h.Path != "" && !strings.HasPrefix(h.Path, "/") {
		problems = append(problems, &cloud.Invalid{Field: option.HealthPath.Name, Value: h.Path, Want: `want a path that begins with "/"`})
	}
	return problems
}

// tooLong names the one of both times that the Service sets.
func tooLong(h *cloud.Health, asked map[string]string) error {
	timeout, interval := secondsText(h.Timeout), secondsText(h.Interval)
	if !option.Timeout.Has(asked) {
		return &cloud.Invalid{Field: option.Interval.Name, Value: interval, Want: "want more than the timeout of a check, which is " + timeout + " unless " + option.Timeout.Name + " sets it"}
	}
	return &cloud.Invalid{Field: option.Timeout.Name, Value: timeout, Want: "want less than the interval of checks, which is " + interval}
}

func secondsText(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
