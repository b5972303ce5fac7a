package conformance

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Service is a Service of type LoadBalancer in neutral terms.
type Service struct {
	Name           string
	Ports          []cloud.Port
	SourceRanges   []string
	Local          bool
	DualStack      bool
	LoadBalancerIP string
	// Annotations are by portable or provider name.
	Annotations map[string]string
}

var (
	portHTTP  = cloud.Port{Name: "http", Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080, AppProtocol: "http"}
	portHTTPS = cloud.Port{Name: "https", Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443}
	portDNS   = cloud.Port{Name: "dns", Protocol: cloud.ProtocolUDP, Port: 53, NodePort: 30053}
	portDNST  = cloud.Port{Name: "dns-tcp", Protocol: cloud.ProtocolTCP, Port: 53, NodePort: 30054}
)

// Standard returns the twelve Services whose plans every driver records.
func Standard() []Service {
	return []Service{
		{Name: "basic", Ports: []cloud.Port{portHTTP}},
		{Name: "two-ports", Ports: []cloud.Port{portHTTPS, portHTTP}},
		{Name: "udp", Ports: []cloud.Port{portDNS}},
		{Name: "mixed-protocols", Ports: []cloud.Port{portDNS, portDNST}},
		{Name: "local", Ports: []cloud.Port{portHTTP}, Local: true},
		{Name: "source-ranges", Ports: []cloud.Port{portHTTP}, SourceRanges: []string{"203.0.113.0/24", "192.0.2.77/28", "203.0.113.0/24"}},
		{Name: "dual-stack", Ports: []cloud.Port{portHTTP}, DualStack: true},
		{Name: "load-balancer-ip", Ports: []cloud.Port{portHTTP}, LoadBalancerIP: "203.0.113.7"},
		{Name: "named", Ports: []cloud.Port{portHTTP}, Annotations: annotated(annotation.Name, "shop-front")},
		{Name: "internal", Ports: []cloud.Port{portHTTP}, Annotations: annotated(annotation.Internal, "true")},
		{Name: "proxy-protocol", Ports: []cloud.Port{portHTTP}, Annotations: annotated(annotation.ProxyProtocol, "true")},
		{Name: "many-ports", Ports: manyPorts(10)},
	}
}

func annotated(key annotation.Key, value string) map[string]string {
	return map[string]string{key.Name: value}
}

func manyPorts(count int) []cloud.Port {
	ports := make([]cloud.Port, count)
	for i := range ports {
		ports[i] = cloud.Port{Name: fmt.Sprintf("p%d", i), Protocol: cloud.ProtocolTCP, Port: 8000 + i, NodePort: 31000 + i}
	}
	return ports
}

// impossible says why the cloud can't have the Service; "" when it can.
func (s *suite) impossible(service Service) string {
	able := s.Descriptor.Capabilities
	for _, port := range service.Ports {
		if !slices.Contains(able.Protocols, port.Protocol) {
			return "no protocol " + string(port.Protocol)
		}
	}
	if len(service.SourceRanges) > 0 && !able.SourceRanges {
		return "no source ranges"
	}
	for name := range service.Annotations {
		if !slices.ContainsFunc(s.Annotations, func(k annotation.Key) bool { return slices.Contains(k.Spellings(), name) }) {
			return "no annotation " + name
		}
	}
	return s.Impossible[service.Name]
}

// spec is what the kernel would hand to the driver for the Service.
func (f *fixture) spec(service Service) cloud.Input {
	f.Helper()
	values, problems := f.suite.Annotations.Parse(service.Annotations)
	if len(problems) > 0 {
		f.Fatalf("annotations of %s: %v", service.Name, problems)
	}
	for key, value := range f.group().Defaults {
		if _, given := values[key]; !given {
			values[key] = value
		}
	}
	in := cloud.Input{Spec: cloud.Spec{
		Owner: cloud.Owner{
			Cluster: "conformance", Namespace: "shop", Name: service.Name, UID: uid(service.Name), Cloud: f.suite.Descriptor.Name,
		},
		Ports:          slices.Clone(service.Ports),
		Local:          service.Local,
		HealthPort:     10256,
		DualStack:      service.DualStack,
		LoadBalancerIP: service.LoadBalancerIP,
		Options:        values,
	}}
	if service.Local {
		in.HealthPort = 32000
	}
	for _, source := range service.SourceRanges {
		in.SourceRanges = append(in.SourceRanges, netip.MustParsePrefix(source).Masked())
	}
	slices.SortFunc(in.SourceRanges, netip.Prefix.Compare)
	in.SourceRanges = slices.Compact(in.SourceRanges)
	return in
}

// uid returns a UID that is the same in every run.
func uid(name string) string {
	sum := 0
	for _, char := range name {
		sum = (sum*31 + int(char)) % 1_000_000_007
	}
	return fmt.Sprintf("5ee0a1f2-3b4c-4d5e-8f60-%012d", sum)
}

// withMachines adds machines to the cloud and makes them the candidates.
func (f *fixture) withMachines(in cloud.Input, names ...string) cloud.Input {
	f.Helper()
	for _, name := range names {
		f.control.AddMachine(name)
	}
	list, err := f.driver.Machines.List(f.ctx())
	f.must(err, "List")
	in.Candidates = nil
	for _, machine := range list.Items {
		in.Candidates = append(in.Candidates, machine.Target(machine.Name))
	}
	slices.SortFunc(in.Candidates, func(a, b cloud.Target) int {
		if a.InstanceID < b.InstanceID {
			return -1
		}
		return 1
	})
	return in
}
