package conformance

import (
	"errors"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
)

// samples set a field of a Service. Protocols and address families are varied elsewhere, and a class is nothing that drivers see.
var samples = map[cloud.ServiceField]func(*corev1.ServiceSpec){
	cloud.ServiceNodePorts: func(s *corev1.ServiceSpec) {
		s.AllocateLoadBalancerNodePorts, s.Ports[0].NodePort = new(false), 0
	},
	cloud.ServiceTrafficPolicy: func(s *corev1.ServiceSpec) {
		s.ExternalTrafficPolicy, s.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyLocal, 32000
	},
	cloud.ServiceAffinity: func(s *corev1.ServiceSpec) { s.SessionAffinity = corev1.ServiceAffinityClientIP },
	cloud.ServiceAffinityTimeout: func(s *corev1.ServiceSpec) {
		s.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: new(int32(600))}}
	},
	cloud.ServiceAddress:      func(s *corev1.ServiceSpec) { s.LoadBalancerIP = "203.0.113.7" },
	cloud.ServiceSourceRanges: func(s *corev1.ServiceSpec) { s.LoadBalancerSourceRanges = []string{"192.0.2.64/28"} },
	cloud.ServiceAppProtocol:  func(s *corev1.ServiceSpec) { s.Ports[0].AppProtocol = new("https") },
	cloud.ServiceExternalIPs:  func(s *corev1.ServiceSpec) { s.ExternalIPs = []string{"192.0.2.9"} },
	cloud.ServiceDistribution: func(s *corev1.ServiceSpec) {
		s.TrafficDistribution = new(corev1.ServiceTrafficDistributionPreferSameZone)
	},
	cloud.ServiceNotReady: func(s *corev1.ServiceSpec) { s.PublishNotReadyAddresses = true },
}

// serviceFields: what the descriptor says of a field of a Service is what becomes of it.
//
//	the field is     the driver is asked for and makes it           said on the Service
//	used             another balancer                               nothing
//	used in part     another balancer, or none                      something, where it makes the same one
//	without effect   the same balancer (node ports are part of it)  ConfigurationIgnored
//	refused          none                                           what is wrong
//	for others       the same balancer                              LoadBalancerUnaffected
func serviceFields(f *fixture) {
	machines := f.withMachines(f.spec(basic), "node-1").Candidates
	able := f.suite.Descriptor.Capabilities
	for _, field := range cloud.ServiceFields() {
		use, sample := able.Use(field), samples[field]
		switch {
		case use.Handling == "" || use.Note == "":
			f.Errorf("%s: the descriptor does not say what becomes of it, see Capabilities.Fields", field)
			continue
		case sample == nil || field == cloud.ServiceAffinityTimeout && able.Use(cloud.ServiceAffinity).Handling == cloud.Partly:
			continue
		}
		plain := Service{Name: "field", Ports: []cloud.Port{portHTTPS}, Annotations: f.suite.With}.object()
		if field == cloud.ServiceAffinityTimeout {
			samples[cloud.ServiceAffinity](&plain.Spec)
		}
		set := plain.DeepCopy()
		sample(&set.Spec)
		before, _, err := f.asks(plain, machines)
		f.must(err, "asking for a plain balancer")
		after, said, err := f.asks(set, machines)
		f.becomes(field, use, !cmp.Equal(before, after), said, err)
	}
}

// becomes compares what became of a field with what the descriptor says.
func (f *fixture) becomes(field cloud.ServiceField, use cloud.Use, differs bool, said []problem.Warning, err error) {
	f.Helper()
	says := func(reason event.Reason) bool {
		return slices.ContainsFunc(said, func(w problem.Warning) bool {
			return w.Reason == reason && strings.HasSuffix(w.Message, ": "+use.Note)
		})
	}
	_, refused := errors.AsType[*cloud.Invalid](err)
	ok := false
	switch use.Handling {
	case cloud.Used:
		ok = err == nil && differs
	case cloud.Partly: // a balancer that needs no node ports is as asked without them
		ok = refused || err == nil && (differs || len(said) > 0 || field == cloud.ServiceNodePorts)
	case cloud.Ignored:
		ok = err == nil && says(event.ConfigurationIgnored) && (!differs || field == cloud.ServiceNodePorts)
	case cloud.Silent:
		ok = err == nil && !differs
	case cloud.Others:
		ok = err == nil && says(event.Unaffected) && !differs
	case cloud.Refused:
		ok = refused
	}
	if !ok {
		f.Errorf("%s is declared %q: setting it changes what the driver asks for: %t, said: %v, error: %v", field, use.Handling, differs, said, err)
	}
}

// asks returns the balancer that the driver makes of a Service without one, and what is said on it.
func (f *fixture) asks(svc *corev1.Service, machines []cloud.Target) (cloud.Balancer, []problem.Warning, error) {
	f.Helper()
	r := request.Read(svc, f.decorated(), request.Cluster{ID: "conformance"})
	if err := problem.Combine(r.Problems); err != nil {
		return cloud.Balancer{}, r.Warnings, err
	}
	in := r.Input
	in.Candidates = machines
	observed, err := f.balancers().Observe(f.ctx(), in)
	f.must(err, "Observe")
	in.Lookups = observed.Lookups
	b, notes, err := f.balancers().Normalize(in)
	return b, append(r.Warnings, problem.OfDriver(notes)...), err
}

// ignored is what the kernel says of fields of a Service that have no effect.
func (s *suite) ignored(service Service) (messages []string) {
	_, warnings := request.Fields(s.Descriptor.Capabilities, service.object())
	for _, w := range warnings {
		if w.Reason == event.ConfigurationIgnored {
			messages = append(messages, w.Message)
		}
	}
	return messages
}

// object is the Service in the API.
func (s Service) object() *corev1.Service {
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: s.Name, UID: types.UID(uid(s.Name)), Annotations: s.Annotations},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, LoadBalancerIP: s.LoadBalancerIP},
	}
	for _, p := range s.Ports {
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: p.Name, Protocol: corev1.Protocol(p.Protocol), Port: int32(p.Port), NodePort: int32(p.NodePort)}) //nolint:gosec // ports fit
	}
	return svc
}
