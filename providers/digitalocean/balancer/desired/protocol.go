package desired

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
)

// protocols says what each TCP port of a REGIONAL balancer speaks.
type protocols struct {
	fallback cloud.Protocol
	lists    map[int]cloud.Protocol
	http3    int
	// certificate is the id of the certificate, passthrough its alternative.
	certificate string
	passthrough bool
}

// readProtocols reads the annotations, and refuses a port in two lists and a protocol that
// ports can't have.
func readProtocols(in cloud.Input) (protocols, error) {
	id, name := Certificate(in.Options)
	found := Found.Open(in.Findings)
	p := protocols{
		fallback:    fallbackProtocol(option.Protocol.In(in.Options)),
		lists:       map[int]cloud.Protocol{},
		http3:       option.HTTP3Port.Int(in.Options),
		certificate: cmp.Or(found.Certificate, id),
		passthrough: option.Passthrough.Bool(in.Options),
	}
	var problems []error
	if name != "" && p.certificate == "" {
		problems = append(problems, unknownCertificate(name, found.CertificatesForbidden))
	}
	problems = append(problems, p.readLists(in.Options))
	given := option.Protocol.In(in.Options)
	if p.fallback == "" && (given != "http3" || slices.ContainsFunc(in.Ports, p.needsFallback)) {
		problems = append(problems, &cloud.Invalid{Field: option.Protocol.Name, Value: given, Want: "want " + option.Protocol.Want + "; for HTTP/3 see " + option.HTTP3Port.Name})
	}
	return p, errors.Join(problems...)
}

func (p *protocols) needsFallback(port cloud.Port) bool {
	return port.Protocol == cloud.ProtocolTCP && p.lists[port.Port] == ""
}

func unknownCertificate(name string, forbidden bool) error {
	want := "there is no certificate of that name"
	if forbidden {
		want = "the API token may not read certificates; give it the scope certificate:read"
	}
	return &cloud.Invalid{Field: option.CertificateName.Name, Value: name, Want: want}
}

// fallbackProtocol returns "" for what can't be the protocol of a port. Upstream took http3
// too, but the API refuses such a rule: HTTP/3 comes beside another protocol of the port.
func fallbackProtocol(value string) cloud.Protocol {
	switch protocol := cloud.ProtocolOf(value); protocol {
	case cloud.ProtocolTCP, cloud.ProtocolHTTP, cloud.ProtocolHTTPS, cloud.ProtocolHTTP2:
		return protocol
	}
	return ""
}

// portLists are the annotations that give ports a protocol.
var portLists = []struct {
	key      annotation.Key
	protocol cloud.Protocol
}{
	{option.HTTPPorts, cloud.ProtocolHTTP},
	{option.TLSPorts, cloud.ProtocolHTTPS},
	{option.HTTP2Ports, cloud.ProtocolHTTP2},
}

func (p *protocols) readLists(options map[string]string) error {
	var problems []error
	for _, list := range portLists {
		for _, port := range p.listed(list.key, options) {
			if other, ok := p.lists[port]; ok && other != list.protocol {
				problems = append(problems, &cloud.Invalid{Field: list.key.Name, Value: strconv.Itoa(port), Want: "the port is in the list of " + strings.ToLower(string(other)) + " ports too"})
				continue
			}
			p.lists[port] = list.protocol
		}
	}
	return errors.Join(problems...)
}

// listed returns the ports of one list. The TLS list defaults to 443 when there is a way to
// serve TLS and the HTTP/2 list does not name it.
func (p *protocols) listed(key annotation.Key, options map[string]string) []int {
	ports := key.Ports(options)
	if key.Name != option.TLSPorts.Name || len(ports) > 0 {
		return ports
	}
	if (p.certificate == "" && !p.passthrough) || slices.Contains(option.HTTP2Ports.Ports(options), 443) {
		return nil
	}
	return []int{443}
}

// of returns the protocol of a TCP port.
func (p *protocols) of(port int) cloud.Protocol {
	if protocol, ok := p.lists[port]; ok {
		return protocol
	}
	return p.fallback
}
