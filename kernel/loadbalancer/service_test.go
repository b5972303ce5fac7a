package loadbalancer

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestSpec(t *testing.T) {
	web := "kubernetes.io/h2c"
	f := newFixture(t, annotated(keyTier.Name, "premium"), annotated(keyID.Name, "lb-7"), func(svc *corev1.Service) {
		svc.Spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyLocal
		svc.Spec.HealthCheckNodePort = 32000
		svc.Spec.IPFamilies = []corev1.IPFamily{corev1.IPv6Protocol, corev1.IPv4Protocol}
		svc.Spec.LoadBalancerIP = "192.0.2.9"
		svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24", "10.1.2.3/8", "10.0.0.0/8"}
		svc.Spec.Ports = []corev1.ServicePort{
			{Name: "b", Port: 443, NodePort: 30443, AppProtocol: &web},
			{Name: "a", Port: 53, NodePort: 30053, Protocol: corev1.ProtocolUDP},
		}
	})
	want := cloud.Spec{
		Ref: cloud.Ref{ID: "lb-7", Owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "0123-4567", Cloud: "fake"}},
		Ports: []cloud.Port{
			{Name: "b", Protocol: "TCP", Port: 443, NodePort: 30443, AppProtocol: web},
			{Name: "a", Protocol: "UDP", Port: 53, NodePort: 30053},
		},
		SourceRanges: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")},
		Local:        true, HealthPort: 32000, DualStack: true, IPv6: true, LoadBalancerIP: "192.0.2.9",
		Options: map[string]string{keyTier.Name: "premium", keyID.Name: "lb-7"},
	}
	r := read(f.svc, f.cloud, f.clusterID)
	if diff := cmp.Diff(want, r.spec, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if len(r.problems) != 0 || len(r.warnings) != 0 {
		t.Errorf("problems %v, warnings %v", r.problems, r.warnings)
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
		svc := service(func(svc *corev1.Service) {
			svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = test.policy, test.port
		})
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
			svc := service(annotated(corev1.AnnotationLoadBalancerSourceRangesKey, test.annotation))
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

// A range that can't be read must never become "everyone".
func TestBadSourceRangeIsRefused(t *testing.T) {
	f := newFixture(t, annotated(corev1.AnnotationLoadBalancerSourceRangesKey, "10.0.0.0"))
	fails(t, f.ensure(), corev1.AnnotationLoadBalancerSourceRangesKey)
	f.wrote()
}

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
		name string
		able cloud.Capabilities
		spec cloud.Spec
		want int
	}{
		{"nothing asked", cloud.Capabilities{}, cloud.Spec{}, 0},
		{"protocols", cloud.Capabilities{Protocols: []cloud.Protocol{"TCP"}}, cloud.Spec{Ports: []cloud.Port{{Protocol: "TCP"}, {Protocol: "UDP"}, {Protocol: "SCTP"}}}, 2},
		{"no node ports", cloud.Capabilities{Protocols: tcp, NodePorts: true}, cloud.Spec{Ports: []cloud.Port{{Protocol: "TCP"}, {Protocol: "TCP", NodePort: 30080}, {Protocol: "TCP"}}}, 2},
		{"no node ports needed", cloud.Capabilities{Protocols: tcp}, cloud.Spec{Ports: []cloud.Port{{Protocol: "TCP"}}}, 0},
		{"ranges", cloud.Capabilities{}, cloud.Spec{SourceRanges: prefixes("10.0.0.0/8")}, 1},
		{"ranges it has", cloud.Capabilities{SourceRanges: true}, cloud.Spec{SourceRanges: prefixes("10.0.0.0/8")}, 0},
		{"everyone", cloud.Capabilities{}, cloud.Spec{SourceRanges: prefixes("0.0.0.0/0")}, 0},
		{"only IPv4 of two families", cloud.Capabilities{}, cloud.Spec{DualStack: true, SourceRanges: prefixes("0.0.0.0/0")}, 1},
		{"both families", cloud.Capabilities{}, cloud.Spec{DualStack: true, SourceRanges: prefixes("0.0.0.0/0", "::/0")}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := beyond(test.able, test.spec); len(got) != test.want {
				t.Errorf("problems %v, want %d", got, test.want)
			}
		})
	}
}

func TestFingerprintIgnoresWhatWeWrite(t *testing.T) {
	f := newFixture(t)
	before := read(f.svc, f.cloud, "prod").fingerprint
	f.svc.Annotations[keyID.Name] = "lb-3"
	if read(f.svc, f.cloud, "prod").fingerprint != before {
		t.Error("the recorded id changes the fingerprint")
	}
	f.svc.Annotations[annotation.AllowReplacement.Name] = "true"
	if read(f.svc, f.cloud, "prod").fingerprint == before {
		t.Error("an annotation of the user does not")
	}
}
