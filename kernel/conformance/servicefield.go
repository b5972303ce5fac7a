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
		if o := (outcome{!cmp.Equal(before, after), said, err}); !expected[use.Handling](o, use, field) {
			f.Errorf("%s is declared %q: setting it changes what the driver asks for: %t, said: %v, error: %v", field, use.Handling, o.differs, said, err)
		}
	}
}

// outcome is what setting a field comes to.
type outcome struct {
	// differs says that the driver is asked for another balancer.
	differs bool
	said    []problem.Warning
	err     error
}

func (o outcome) same() bool { return o.err == nil && !o.differs }

func (o outcome) refused() bool {
	_, refused := errors.AsType[*cloud.Invalid](o.err)
	return refused
}

func (o outcome) says(reason event.Reason, note string) bool {
	return slices.ContainsFunc(o.said, func(w problem.Warning) bool { return w.Reason == reason && strings.HasSuffix(w.Message, ": "+note) })
}

// expected reports for each kind of handling whether the outcome is that. A balancer that needs no node ports is as asked without them, and
// one that lacks them has other listeners.
var expected = map[cloud.Handling]func(outcome, cloud.Use, cloud.ServiceField) bool{
	cloud.Used:    func(o outcome, _ cloud.Use, _ cloud.ServiceField) bool { return o.err == nil && o.differs },
	cloud.Refused: func(o outcome, _ cloud.Use, _ cloud.ServiceField) bool { return o.refused() },
	cloud.Silent:  func(o outcome, _ cloud.Use, _ cloud.ServiceField) bool { return o.same() },
	cloud.Others: func(o outcome, use cloud.Use, _ cloud.ServiceField) bool {
		return o.same() && o.says(event.Unaffected, use.Note)
	},
	cloud.Ignored: func(o outcome, use cloud.Use, field cloud.ServiceField) bool {
		return (o.same() || o.err == nil && field == cloud.ServiceNodePorts) && o.says(event.ConfigurationIgnored, use.Note)
	},
	cloud.Partly: func(o outcome, _ cloud.Use, field cloud.ServiceField) bool {
		return o.refused() || o.err == nil && (o.differs || len(o.said) > 0 || field == cloud.ServiceNodePorts)
	},
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
	in.Findings = observed.Findings
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
