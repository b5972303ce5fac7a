package loadbalancer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
)

func TestStatus(t *testing.T) {
	vip, proxy := corev1.LoadBalancerIPModeVIP, corev1.LoadBalancerIPModeProxy
	both := []cloud.BalancerAddress{{IP: "192.0.2.1"}, {IP: "2001:db8::1"}}
	present := func(ip string, mode *corev1.LoadBalancerIPMode) func(*corev1.Service) {
		return func(svc *corev1.Service) {
			svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: ip, IPMode: mode}}
		}
	}
	families := func(families ...corev1.IPFamily) func(*corev1.Service) {
		return func(svc *corev1.Service) { svc.Spec.IPFamilies = families }
	}
	tests := []struct {
		name      string
		edit      func(*corev1.Service)
		addresses []cloud.BalancerAddress
		want      []corev1.LoadBalancerIngress
	}{
		{"none", nil, nil, nil},
		{"both families", families(corev1.IPv4Protocol, corev1.IPv6Protocol), both, []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}, {IP: "2001:db8::1"}}},
		{"the Service's first family first", families(corev1.IPv6Protocol, corev1.IPv4Protocol), both, []corev1.LoadBalancerIngress{{IP: "2001:db8::1"}, {IP: "192.0.2.1"}}},
		{
			"one of the first family first, then the cloud's order", families(corev1.IPv6Protocol),
			[]cloud.BalancerAddress{{IP: "192.0.2.1"}, {IP: "2001:db8::1"}, {IP: "10.0.0.1"}},
			[]corev1.LoadBalancerIngress{{IP: "2001:db8::1"}, {IP: "192.0.2.1"}, {IP: "10.0.0.1"}},
		},
		{
			"the cloud's order", nil, []cloud.BalancerAddress{{IP: "192.0.2.1"}, {IP: "2001:db8::1"}, {IP: "10.0.0.1"}},
			[]corev1.LoadBalancerIngress{{IP: "192.0.2.1"}, {IP: "2001:db8::1"}, {IP: "10.0.0.1"}},
		},
		{"no family", families(), both, []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}, {IP: "2001:db8::1"}}},
		{"duplicates and empty ones", nil, []cloud.BalancerAddress{{IP: "192.0.2.1"}, {}, {IP: "192.0.2.1"}}, []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}},
		{"host name of the cloud", nil, []cloud.BalancerAddress{{Hostname: "lb.example.com", Proxy: true}}, []corev1.LoadBalancerIngress{{Hostname: "lb.example.com"}}},
		{"host name of the user", annotated(annotation.Hostname.Name, "WWW.example.com"), both, []corev1.LoadBalancerIngress{{Hostname: "www.example.com"}}},
		{"proxy", nil, []cloud.BalancerAddress{{IP: "192.0.2.1", Proxy: true}}, []corev1.LoadBalancerIngress{{IP: "192.0.2.1", IPMode: &proxy}}},
		{"proxy, was VIP", present("192.0.2.1", &vip), []cloud.BalancerAddress{{IP: "192.0.2.1", Proxy: true}}, []corev1.LoadBalancerIngress{{IP: "192.0.2.1", IPMode: &proxy}}},
		{"told VIP", annotated(annotation.IPMode.Name, "VIP"), []cloud.BalancerAddress{{IP: "192.0.2.1", Proxy: true}}, []corev1.LoadBalancerIngress{{IP: "192.0.2.1", IPMode: &vip}}},
		{"told Proxy", annotated(annotation.IPMode.Name, "Proxy"), both[:1], []corev1.LoadBalancerIngress{{IP: "192.0.2.1", IPMode: &proxy}}},
		{"the API server's VIP stays", present("192.0.2.1", &vip), both[:1], []corev1.LoadBalancerIngress{{IP: "192.0.2.1", IPMode: &vip}}},
		{"no longer proxy", present("192.0.2.1", &proxy), both[:1], []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}},
		{"another address", present("192.0.2.2", &vip), both[:1], []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			if test.edit != nil {
				test.edit(f.svc)
			}
			r := request.Read(f.svc, f.cloud, request.Cluster{ID: "prod"})
			got := status.Of(&r, cloud.Observed{Addresses: test.addresses})
			if diff := cmp.Diff(&corev1.LoadBalancerStatus{Ingress: test.want}, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

// The state before a change may know annotations to write that the state after it does not.
func TestRecord(t *testing.T) {
	f := newFixture(t, annotated("fake.io/same", "1"))
	r := request.Read(f.svc, f.cloud, request.Cluster{ID: "prod"})
	before := cloud.Observed{ID: "lb-1", Record: map[string]string{"fake.io/old": "1", "fake.io/both": "1"}}
	after := cloud.Observed{ID: "lb-1", Record: map[string]string{"fake.io/same": "1", "fake.io/both": "2"}}
	want := map[string]string{"fake.io/old": "1", "fake.io/both": "2", keyID.Name: "lb-1"}
	if diff := cmp.Diff(want, status.Record(&r, before, after)); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	before.ID = "lb-0"
	delete(want, "fake.io/old")
	if diff := cmp.Diff(want, status.Record(&r, before, after)); diff != "" {
		t.Errorf("record of another balancer (-want +got):\n%s", diff)
	}
}
