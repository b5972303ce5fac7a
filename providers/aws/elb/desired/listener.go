package desired

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

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
			Field: field("nodePort"), Value: "0",
			Want: "a Classic Load Balancer reaches nodes at node ports: spec.allocateLoadBalancerNodePorts has to be true",
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
