package desired

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Listeners returns one listener per forwarding rule.
func Listeners(in cloud.Input, kind string) ([]cloud.Listener, error) {
	if kind == config.TypeNetwork {
		return checked(networkListeners(in.Ports))
	}
	p, err := readProtocols(in)
	list, problems := regionalListeners(in.Ports, p)
	list, dup := checked(list)
	return list, errors.Join(err, problems, dup)
}

// networkListeners pass packets through unchanged: the target port is the Service's own,
// because kube-proxy answers for the balancer's address.
func networkListeners(ports []cloud.Port) []cloud.Listener {
	var list []cloud.Listener
	for _, p := range ports {
		list = append(list, cloud.Listener{
			Protocol: p.Protocol, Port: p.Port, TargetProtocol: p.Protocol, TargetPort: p.Port,
		})
	}
	return list
}

func regionalListeners(ports []cloud.Port, p protocols) ([]cloud.Listener, error) {
	var list []cloud.Listener
	var problems []error
	for i, port := range ports {
		if port.NodePort == 0 {
			problems = append(problems, &cloud.Invalid{
				Field: fmt.Sprintf("spec.ports[%d].nodePort", i),
				Want:  "a REGIONAL balancer connects to node ports; allow the Service to allocate them",
			})
			continue
		}
		protocol := port.Protocol
		if protocol == cloud.ProtocolTCP {
			protocol = p.of(port.Port)
		}
		wanted := []cloud.Protocol{protocol}
		if port.Protocol == cloud.ProtocolTCP && port.Port == p.http3 {
			wanted = append(wanted, cloud.ProtocolHTTP3)
		}
		for _, protocol := range wanted {
			l, err := p.listener(port, protocol)
			list, problems = append(list, l), append(problems, err)
		}
	}
	return list, errors.Join(problems...)
}

// listener builds the rule of one port.
//
//	entry              certificate  passthrough  target
//	tcp, udp, http     -            -            the same
//	https, http2       yes          no           http
//	https, http2       no           yes          the same
//	http3              yes          no           http
//	otherwise: refused
func (p *protocols) listener(port cloud.Port, protocol cloud.Protocol) (cloud.Listener, error) {
	l := cloud.Listener{Protocol: protocol, Port: port.Port, TargetProtocol: protocol, TargetPort: port.NodePort}
	if !object.IsEncrypted(protocol) {
		return l, nil
	}
	http3 := protocol == cloud.ProtocolHTTP3
	switch {
	case p.certificate != "" && p.passthrough:
		return l, p.refuse(port, protocol, option.Passthrough.Name, "want either a certificate or passthrough")
	case p.certificate == "" && !p.passthrough:
		return l, p.refuse(port, protocol, option.CertificateID.Name, "want a certificate"+map[bool]string{false: " or " + option.Passthrough.Name}[http3])
	case p.passthrough && http3:
		return l, p.refuse(port, protocol, option.Passthrough.Name, "HTTP/3 can't be passed through")
	case p.certificate != "":
		l.TargetProtocol = cloud.ProtocolHTTP
	}
	l.ProviderFields = map[string]string{object.FieldCertificate: p.certificate, object.FieldPassthrough: strconv.FormatBool(p.passthrough)}
	return l, nil
}

func (p *protocols) refuse(port cloud.Port, protocol cloud.Protocol, field, want string) error {
	value := p.certificate
	if field == option.Passthrough.Name {
		value = strconv.FormatBool(p.passthrough)
	}
	return &cloud.Invalid{Field: field, Value: value, Want: fmt.Sprintf("%s for %s on port %d", want, protocol.Lower(), port.Port)}
}

// checked sorts listeners and refuses what the API refuses on every balancer.
func checked(list []cloud.Listener) ([]cloud.Listener, error) {
	cloud.SortListeners(list)
	var problems []error
	for i, l := range list {
		switch {
		case l.Protocol == cloud.ProtocolSCTP:
			problems = append(problems, &cloud.Invalid{Field: "spec.ports", Value: l.Key(), Want: "DigitalOcean has no SCTP balancers"})
		case l.Port >= 50053 && l.Port <= 50055:
			problems = append(problems, &cloud.Invalid{Field: "spec.ports", Value: strconv.Itoa(l.Port), Want: "DigitalOcean keeps the ports 50053, 50054 and 50055 for itself"})
		case i > 0 && list[i-1].Key() == l.Key():
			problems = append(problems, &cloud.Invalid{Field: "spec.ports", Value: l.Key(), Want: "two rules would use this port"})
		}
	}
	return list, errors.Join(problems...)
}
