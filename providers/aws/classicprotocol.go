package aws

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// protocolSSL is what classic balancers call TLS without HTTP.
const protocolSSL cloud.Protocol = "SSL"

// classicBackends says which protocol a listener that terminates TLS has for one of the nodes,
// as written in option.Backend.
var classicBackends = map[string]cloud.Protocol{
	"tcp": protocolSSL, "ssl": protocolSSL, "http": cloud.ProtocolHTTPS, "https": cloud.ProtocolHTTPS,
}

// classicProtocols returns the protocols of a listener and of the nodes behind it, and false
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
func classicProtocols(tls bool, backend string) (listener, node cloud.Protocol, ok bool) {
	if tls {
		backend = cmp.Or(backend, "tcp")
		listener, ok = classicBackends[backend]
		return listener, cloud.ProtocolOf(backend), ok
	}
	if backend == "http" {
		return cloud.ProtocolHTTP, cloud.ProtocolHTTP, true
	}
	return cloud.ProtocolTCP, cloud.ProtocolTCP, true
}

// wantedClassicListeners are those of the Service, or every reason why there can't be.
func wantedClassicListeners(spec cloud.Spec) ([]cloud.Listener, error) {
	var list []cloud.Listener
	var problems []error
	for i := range spec.Ports {
		l, err := wantedClassicListener(spec, i)
		list, problems = append(list, l), append(problems, err)
	}
	cloud.SortListeners(list)
	return list, errors.Join(problems...)
}

func wantedClassicListener(spec cloud.Spec, i int) (cloud.Listener, error) {
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
	front, back, ok := classicProtocols(tls, backend)
	if !ok {
		return cloud.Listener{}, &cloud.Invalid{Field: option.Backend.Name, Value: backend, Want: `want "tcp", "ssl", "http" or "https"`}
	}
	l := cloud.Listener{
		Protocol: front, Port: port.Port, TargetProtocol: back, TargetPort: port.NodePort,
		ProviderFields: map[string]string{fieldProxy: strconv.FormatBool(option.ProxyProtocol.In(spec.Options) != option.ProxyProtocol.Default)},
	}
	if tls {
		l.ProviderFields[fieldCertificates] = option.Certificate.List(spec.Options)[0]
		l.ProviderFields[fieldTLSPolicy] = wantedPolicy(spec)
	}
	return l, nil
}

// viewListeners are the listeners the balancer has.
func (b *classicBalancer) viewListeners(spec cloud.Spec) []cloud.Listener {
	var list []cloud.Listener
	for _, description := range b.ListenerDescriptions {
		have := description.Listener
		if have == nil {
			continue
		}
		l := cloud.Listener{
			Protocol: cloud.ProtocolOf(awssdk.ToString(have.Protocol)), Port: int(have.LoadBalancerPort),
			TargetProtocol: cloud.ProtocolOf(awssdk.ToString(have.InstanceProtocol)), TargetPort: int(awssdk.ToInt32(have.InstancePort)),
		}
		l.ProviderFields = map[string]string{fieldProxy: strconv.FormatBool(slices.Contains(b.backendPolicies(l.TargetPort), proxyPolicy))}
		if l.Protocol == protocolSSL || l.Protocol == cloud.ProtocolHTTPS {
			l.ProviderFields[fieldCertificates] = awssdk.ToString(have.SSLCertificateId)
			l.ProviderFields[fieldTLSPolicy] = b.viewPolicy(description.PolicyNames, spec)
		}
		list = append(list, l)
	}
	cloud.SortListeners(list)
	return list
}

// classicInput is a listener as AWS is asked for it.
func classicInput(l cloud.Listener) elbtypes.Listener {
	input := elbtypes.Listener{
		Protocol: new(string(l.Protocol)), LoadBalancerPort: int32(l.Port), //nolint:gosec // a port
		InstanceProtocol: new(string(l.TargetProtocol)), InstancePort: new(int32(l.TargetPort)), //nolint:gosec // a port
	}
	if certificate := l.ProviderFields[fieldCertificates]; certificate != "" {
		input.SSLCertificateId = &certificate
	}
	return input
}

func classicInputs(list []cloud.Listener) []elbtypes.Listener {
	inputs := make([]elbtypes.Listener, len(list))
	for i, l := range list {
		inputs[i] = classicInput(l)
	}
	return inputs
}

// recreates reports whether a listener has to be made anew to become another: AWS changes its
// certificate and policies only.
func recreates(have, want cloud.Listener) bool {
	return have.Protocol != want.Protocol || have.TargetProtocol != want.TargetProtocol || have.TargetPort != want.TargetPort
}
