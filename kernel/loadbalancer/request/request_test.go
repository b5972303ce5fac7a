package request

import (
	"errors"
	"net/netip"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

func TestSpellings(t *testing.T) {
	set := annotation.Set{
		{Name: "a.io/size", Aliases: []string{"old.io/size", "older.io/size"}},
		{Name: "a.io/name", Aliases: []string{"old.io/name"}},
	}
	svc := &corev1.Service{}
	svc.Annotations = map[string]string{"old.io/size": "1", "older.io/size": "1", "old.io/name": "x", "a.io/name": "x"}
	r := Request{spellings: spellings(svc, set)}
	problems := r.Respell([]problem.Warning{problem.Invalid("a.io/size", "1", "more"), problem.Invalid("a.io/name", "x", "y"), problem.Invalid("spec.ports", "", "")})
	for i, want := range []string{"old.io/size", "old.io/name", "spec.ports"} {
		invalid, _ := errors.AsType[*cloud.Invalid](problems[i].Err)
		if got := invalid.Field; got != want {
			t.Errorf("field %d is %s, want %s", i, got, want)
		}
	}
	notes := r.RespellWarnings([]cloud.Warning{{Field: "a.io/size", Message: "m"}})
	if notes[0].Field != "old.io/size" || notes[0].Message != "m" {
		t.Errorf("note %+v", notes[0])
	}
}

func TestHealthPort(t *testing.T) {
	tests := []struct {
		policy corev1.ServiceExternalTrafficPolicy
		port   int32
		want   int
	}{
		{"", 0, 10256},
		{corev1.ServiceExternalTrafficPolicyCluster, 32000, 10256},
		{corev1.ServiceExternalTrafficPolicyLocal, 32000, 32000},
		{corev1.ServiceExternalTrafficPolicyLocal, 0, 10256},
	}
	for _, test := range tests {
		svc := &corev1.Service{}
		svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = test.policy, test.port
		if got := healthPort(svc); got != test.want {
			t.Errorf("%q, %d: health port %d, want %d", test.policy, test.port, got, test.want)
		}
	}
}

func TestSourceRanges(t *testing.T) {
	tests := []struct {
		name       string
		field      []string
		annotation string
		want       []string
		problems   int
	}{
		{name: "none"},
		{name: "field", field: []string{" 10.0.0.0/8 "}, want: []string{"10.0.0.0/8"}},
		{name: "field wins", field: []string{"10.0.0.0/8"}, annotation: "nonsense", want: []string{"10.0.0.0/8"}},
		{name: "annotation", annotation: "192.0.2.1/24, 2001:db8::1/32", want: []string{"192.0.2.0/24", "2001:db8::/32"}},
		{name: "blank annotation", annotation: "  "},
		{name: "bad ones are all told", annotation: "10.0.0.0/8,x,10.0.0.0/33", want: []string{"10.0.0.0/8"}, problems: 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			svc := &corev1.Service{}
			svc.Annotations = map[string]string{corev1.AnnotationLoadBalancerSourceRangesKey: test.annotation}
			svc.Spec.LoadBalancerSourceRanges = test.field
			ranges, problems := sourceRanges(svc)
			var got []string
			for _, r := range ranges {
				got = append(got, r.String())
			}
			if !slices.Equal(got, test.want) || len(problems) != test.problems {
				t.Errorf("ranges %v, problems %v, want %v and %d", got, problems, test.want, test.problems)
			}
		})
	}
}

// The portable twin of the field is read, and said where it has no effect.
func TestPortableSourceRanges(t *testing.T) {
	c := &run.Cloud{Annotations: annotation.Kernel()}
	svc := &corev1.Service{}
	svc.Annotations = map[string]string{annotation.SourceRanges.Name: "192.0.2.1/24"}
	r := Read(svc, c, Cluster{ID: "c"})
	if len(r.Input.SourceRanges) != 1 || r.Input.SourceRanges[0].String() != "192.0.2.0/24" || len(r.Warnings) > 0 {
		t.Errorf("ranges %v, warnings %v", r.Input.SourceRanges, r.Warnings)
	}
	svc.Spec.LoadBalancerSourceRanges = []string{"10.0.0.0/8"}
	r = Read(svc, c, Cluster{ID: "c"})
	if r.Input.SourceRanges[0].String() != "10.0.0.0/8" || len(r.Warnings) != 1 {
		t.Errorf("ranges %v, warnings %v; want the field's, and one", r.Input.SourceRanges, r.Warnings)
	}
}

// A range that can't be read must never become "everyone".
func TestBeyond(t *testing.T) {
	prefixes := func(texts ...string) []netip.Prefix {
		var all []netip.Prefix
		for _, text := range texts {
			all = append(all, netip.MustParsePrefix(text))
		}
		return all
	}
	tcp := []cloud.Protocol{"TCP"}
	tests := []struct {
		name  string
		able  cloud.Capabilities
		input cloud.Input
		want  int
	}{
		{"nothing asked", cloud.Capabilities{}, cloud.Input{}, 0},
		{"protocols", cloud.Capabilities{Protocols: []cloud.Protocol{"TCP"}}, cloud.Input{Spec: cloud.Spec{Ports: []cloud.Port{{Protocol: "TCP"}, {Protocol: "UDP"}, {Protocol: "SCTP"}}}}, 2},
		{"a protocol that is left out", cloud.Capabilities{Protocols: tcp, LeavesOut: []cloud.Protocol{"UDP"}, NodePorts: true}, cloud.Input{Spec: cloud.Spec{Ports: []cloud.Port{{Protocol: "UDP"}, {Protocol: "TCP", NodePort: 30080}, {Protocol: "SCTP", NodePort: 30081}}}}, 1},
		{"nothing but what is left out", cloud.Capabilities{Protocols: tcp, LeavesOut: []cloud.Protocol{"UDP"}}, cloud.Input{Spec: cloud.Spec{Ports: []cloud.Port{{Protocol: "UDP"}}}}, 1},
		{"no node ports", cloud.Capabilities{Protocols: tcp, NodePorts: true}, cloud.Input{Spec: cloud.Spec{Ports: []cloud.Port{{Protocol: "TCP"}, {Protocol: "TCP", NodePort: 30080}, {Protocol: "TCP"}}}}, 2},
		{"no node ports needed", cloud.Capabilities{Protocols: tcp}, cloud.Input{Spec: cloud.Spec{Ports: []cloud.Port{{Protocol: "TCP"}}}}, 0},
		{"ranges", cloud.Capabilities{}, cloud.Input{Spec: cloud.Spec{SourceRanges: prefixes("10.0.0.0/8")}}, 1},
		{"ranges it has", cloud.Capabilities{SourceRanges: true}, cloud.Input{Spec: cloud.Spec{SourceRanges: prefixes("10.0.0.0/8")}}, 0},
		{"everyone", cloud.Capabilities{}, cloud.Input{Spec: cloud.Spec{SourceRanges: prefixes("0.0.0.0/0")}}, 0},
		{"only IPv4 of two families", cloud.Capabilities{}, cloud.Input{Spec: cloud.Spec{DualStack: true, SourceRanges: prefixes("0.0.0.0/0")}}, 1},
		{"only IPv6 of two families", cloud.Capabilities{}, cloud.Input{Spec: cloud.Spec{DualStack: true, SourceRanges: prefixes("::/0")}}, 1},
		{"everyone of the other family", cloud.Capabilities{}, cloud.Input{Spec: cloud.Spec{SourceRanges: prefixes("10.0.0.0/8", "::/0")}}, 1},
		{"everyone of IPv6", cloud.Capabilities{}, cloud.Input{Spec: cloud.Spec{IPv6: true, SourceRanges: prefixes("::/0")}}, 0},
		{"everyone of IPv4 on IPv6", cloud.Capabilities{}, cloud.Input{Spec: cloud.Spec{IPv6: true, SourceRanges: prefixes("0.0.0.0/0")}}, 1},
		{"both families", cloud.Capabilities{}, cloud.Input{Spec: cloud.Spec{DualStack: true, SourceRanges: prefixes("0.0.0.0/0", "::/0")}}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := beyond(test.able, test.input.Spec); len(got) != test.want {
				t.Errorf("problems %v, want %d", got, test.want)
			}
		})
	}
}

// Ports that are left out are in no balancer, and an event names them as the Service does.
func TestLeaveOut(t *testing.T) {
	mixed := []cloud.Port{{Protocol: "UDP", Port: 53}, {Protocol: "TCP", Port: 80}, {Protocol: "UDP", Port: 443}}
	able := cloud.Capabilities{Protocols: []cloud.Protocol{"TCP"}, LeavesOut: []cloud.Protocol{"UDP"}}
	for name, test := range map[string]struct {
		able  cloud.Capabilities
		ports []cloud.Port
		want  []cloud.Port
		said  []string
	}{
		"some":          {able, mixed, mixed[1:2], []string{"spec.ports[0].protocol: port 53 is left out: this cloud has no UDP", "spec.ports[2].protocol: port 443 is left out: this cloud has no UDP"}},
		"all":           {able, mixed[:1], mixed[:1], nil},
		"none declared": {cloud.Capabilities{}, mixed, mixed, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{Input: cloud.Input{Spec: cloud.Spec{Ports: test.ports}}}
			r.leaveOut(test.able)
			var said []string
			for _, w := range r.Warnings {
				said = append(said, w.Message)
			}
			if !slices.Equal(r.Input.Ports, test.want) || !slices.Equal(said, test.said) {
				t.Errorf("ports %v, said %q; want %v and %q", r.Input.Ports, said, test.want, test.said)
			}
		})
	}
}
