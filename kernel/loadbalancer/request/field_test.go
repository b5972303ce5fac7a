package request

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Each field that a cloud does not use is said once, by the reason that its declaration has; what is used or not set is not.
func TestFields(t *testing.T) {
	ignores := cloud.Capabilities{Fields: map[cloud.ServiceField]cloud.Use{
		cloud.ServiceNodePorts: {Handling: cloud.Ignored, Note: "no members"},
		cloud.ServiceAffinity:  {Handling: cloud.Ignored, Note: "no affinity"},
		cloud.ServiceAddress:   {Handling: cloud.Refused, Note: "another way"},
	}}
	uses := cloud.Capabilities{Fields: map[cloud.ServiceField]cloud.Use{
		cloud.ServiceNodePorts: {Handling: cloud.Partly}, cloud.ServiceAffinity: {Handling: cloud.Used}, cloud.ServiceAddress: {Handling: cloud.Used},
	}}
	sticky := func(seconds int32) func(*corev1.ServiceSpec) {
		return func(s *corev1.ServiceSpec) {
			s.SessionAffinity = corev1.ServiceAffinityClientIP
			s.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &seconds}}
		}
	}
	for name, test := range map[string]struct {
		able cloud.Capabilities
		set  func(*corev1.ServiceSpec)
		want []string // reason, and how the message begins
	}{
		"nothing is set":            {ignores, func(*corev1.ServiceSpec) {}, nil},
		"an affinity":               {ignores, sticky(10800), []string{"ConfigurationIgnored spec.sessionAffinity: no affinity"}},
		"an affinity and its time":  {ignores, sticky(600), []string{"ConfigurationIgnored spec.sessionAffinity: no affinity"}},
		"an affinity that is used":  {uses, sticky(10800), nil},
		"its time":                  {uses, sticky(600), []string{"ConfigurationIgnored spec.sessionAffinityConfig.clientIP.timeoutSeconds: "}},
		"an address":                {ignores, func(s *corev1.ServiceSpec) { s.LoadBalancerIP = "192.0.2.1" }, []string{`InvalidConfiguration spec.loadBalancerIP: "192.0.2.1" is not possible: another way`}},
		"an address that is used":   {uses, func(s *corev1.ServiceSpec) { s.LoadBalancerIP = "192.0.2.1" }, nil},
		"a port without node port":  {ignores, func(s *corev1.ServiceSpec) { s.Ports[1].NodePort = 0 }, []string{"ConfigurationIgnored spec.ports[1].nodePort: no members"}},
		"two of them":               {ignores, func(s *corev1.ServiceSpec) { s.Ports[0].NodePort, s.Ports[1].NodePort = 0, 0 }, []string{"ConfigurationIgnored spec.ports[0].nodePort and spec.ports[1].nodePort: no members"}},
		"no node ports are needed":  {uses, func(s *corev1.ServiceSpec) { s.Ports[0].NodePort = 0 }, nil},
		"a hint":                    {uses, func(s *corev1.ServiceSpec) { s.Ports[0].AppProtocol = new("https") }, []string{"LoadBalancerUnaffected spec.ports[0].appProtocol: "}},
		"external addresses":        {uses, func(s *corev1.ServiceSpec) { s.ExternalIPs = []string{"192.0.2.1"} }, []string{"LoadBalancerUnaffected spec.externalIPs: "}},
		"a distribution":            {uses, func(s *corev1.ServiceSpec) { s.TrafficDistribution = new("PreferSameZone") }, []string{"LoadBalancerUnaffected spec.trafficDistribution: "}},
		"addresses of Pods":         {uses, func(s *corev1.ServiceSpec) { s.PublishNotReadyAddresses = true }, []string{"LoadBalancerUnaffected spec.publishNotReadyAddresses: "}},
		"what nothing is said of":   {cloud.Capabilities{}, sticky(10800), nil},
		"a local policy":            {uses, func(s *corev1.ServiceSpec) { s.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyLocal }, nil},
		"another use of a hint":     {cloud.Capabilities{Fields: map[cloud.ServiceField]cloud.Use{cloud.ServiceAppProtocol: {Handling: cloud.Used}}}, func(s *corev1.ServiceSpec) { s.Ports[0].AppProtocol = new("https") }, nil},
		"many hints are named once": {uses, manyHints, []string{"LoadBalancerUnaffected spec.ports[0].appProtocol and 99 more: "}},
	} {
		t.Run(name, func(t *testing.T) {
			svc := &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, NodePort: 30080}, {Port: 443, NodePort: 30443}}}}
			test.set(&svc.Spec)
			problems, warnings := Fields(test.able, svc)
			said := slices.Concat(problems, warnings)
			if !slices.EqualFunc(said, test.want, func(w problem.Warning, want string) bool { return strings.HasPrefix(w.Reason.Name+" "+w.Message, want) }) {
				t.Errorf("said %v, want %q", said, test.want)
			}
			for _, w := range said {
				if len(w.Message) > 300 {
					t.Errorf("%d bytes: %s", len(w.Message), w.Message)
				}
			}
		})
	}
}

func manyHints(s *corev1.ServiceSpec) {
	s.Ports = slices.Repeat([]corev1.ServicePort{{Port: 80, NodePort: 30080, AppProtocol: new("http")}}, 100)
}

// What is said of fields is said on the Service, and of ports that are left out nothing but that.
func TestFieldsAreRead(t *testing.T) {
	c := &run.Cloud{Annotations: annotation.Kernel()}
	c.Descriptor.Capabilities = cloud.Capabilities{
		Protocols: []cloud.Protocol{cloud.ProtocolTCP}, LeavesOut: []cloud.Protocol{cloud.ProtocolUDP}, NodePorts: true,
		Fields: map[cloud.ServiceField]cloud.Use{cloud.ServiceAffinity: {Handling: cloud.Ignored, Note: "no affinity"}},
	}
	svc := &corev1.Service{Spec: corev1.ServiceSpec{
		SessionAffinity: corev1.ServiceAffinityClientIP,
		Ports:           []corev1.ServicePort{{Port: 53, Protocol: corev1.ProtocolUDP}, {Port: 80, NodePort: 30080}},
	}}
	r := Read(svc, c, Cluster{ID: "c"})
	if len(r.Problems) > 0 || len(r.Warnings) != 2 || r.Warnings[1].Reason != event.ConfigurationIgnored || r.Warnings[1].Message != "spec.sessionAffinity: no affinity" {
		t.Errorf("problems %v, warnings %v", r.Problems, r.Warnings)
	}
	svc.Spec.Ports[1].NodePort = 0 // which nobody has set
	if r = Read(svc, c, Cluster{ID: "c"}); len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0].Message, "spec.ports[1].nodePort is not set: ") {
		t.Errorf("problems %v", r.Problems)
	}
}

// A value that the Service does not have is said to be the configuration's, and one that nobody set to be not set.
func TestWhoseValueItIs(t *testing.T) {
	key := annotation.Key{Name: "a.io/size", Aliases: []string{"old.io/size"}, Type: annotation.TypeString}
	c := &run.Cloud{Annotations: annotation.Kernel().With(annotation.Set{key}), Defaults: map[string]string{key.Name: "huge"}}
	const configured = "; the value is a default in the configuration of the controller manager"
	for name, test := range map[string]struct {
		annotations map[string]string
		value, want string
	}{
		"the configuration's": {nil, "huge", `a.io/size: "huge" is not possible: want small` + configured},
		"the Service's":       {map[string]string{"old.io/size": "vast"}, "vast", `old.io/size: "vast" is not possible: want small`},
	} {
		t.Run(name, func(t *testing.T) {
			svc := &corev1.Service{}
			svc.Annotations = test.annotations
			r := Read(svc, c, Cluster{ID: "c"})
			got := r.Respell([]problem.Warning{problem.Invalid(key.Name, test.value, "want small")})
			if got[0].Message != test.want {
				t.Errorf("said %q, want %q", got[0].Message, test.want)
			}
			notes := r.RespellWarnings([]cloud.Warning{{Field: key.Name, Message: "no effect"}})
			if strings.HasSuffix(notes[0].Message, configured) != (test.annotations == nil) {
				t.Errorf("noted %+v", notes[0])
			}
		})
	}
	if got := problem.Invalid("a.io/zone", "", "want a zone").Message; got != "a.io/zone is not set: want a zone" {
		t.Errorf("said %q", got)
	}
}

// Who has set no name is not told to have set one.
func TestNameField(t *testing.T) {
	for name, test := range map[string]struct {
		annotations map[string]string
		want        string
	}{
		"none":  {nil, `the default name of the load balancer: "n" is not possible: `},
		"given": {map[string]string{annotation.Name.Name: "n"}, annotation.Name.Name + `: "n" is not possible: `},
	} {
		t.Run(name, func(t *testing.T) {
			svc := &corev1.Service{}
			svc.Annotations = test.annotations
			r := Read(svc, &run.Cloud{Annotations: annotation.Kernel().With(annotation.Set{annotation.Name})}, Cluster{ID: "c"})
			for _, got := range []string{r.NameTaken("n").Message, r.OtherCluster("n", "other").Message} {
				if !strings.HasPrefix(got, test.want) {
					t.Errorf("said %q, want %q first", got, test.want)
				}
			}
		})
	}
}
