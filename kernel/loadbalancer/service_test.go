package loadbalancer

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
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
	want := cloud.Input{
		Spec: cloud.Spec{
			Owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "0123-4567", Cloud: "fake"},
			Ports: []cloud.Port{
				{Name: "b", Protocol: "TCP", Port: 443, NodePort: 30443, AppProtocol: web},
				{Name: "a", Protocol: "UDP", Port: 53, NodePort: 30053},
			},
			SourceRanges:   []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")},
			Local:          true,
			HealthPort:     32000,
			DualStack:      true,
			IPv6:           true,
			LoadBalancerIP: "192.0.2.9",
			Options:        map[string]string{keyTier.Name: "premium", keyID.Name: "lb-7"},
		},
		Known: cloud.Known{
			ID: "lb-7",
		},
	}
	r := request.Read(f.svc, f.cloud, f.Manager.cluster)
	if diff := cmp.Diff(want, r.Input, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if len(r.Problems) != 0 || len(r.Warnings) != 1 || r.Warnings[0].Reason != event.Unaffected {
		t.Errorf("problems %v, warnings %v; want that of the hint", r.Problems, r.Warnings)
	}
}

func TestBadSourceRangeIsRefused(t *testing.T) {
	f := newFixture(t, annotated(corev1.AnnotationLoadBalancerSourceRangesKey, "10.0.0.0"))
	fails(t, f.ensure(), corev1.AnnotationLoadBalancerSourceRangesKey)
	f.wrote()
}

func TestFingerprintIgnoresWhatWeWrite(t *testing.T) {
	f := newFixture(t)
	before := request.Read(f.svc, f.cloud, request.Cluster{ID: "prod"}).Fingerprint
	f.svc.Annotations[keyID.Name] = "lb-3"
	if request.Read(f.svc, f.cloud, request.Cluster{ID: "prod"}).Fingerprint != before {
		t.Error("the recorded id changes the fingerprint")
	}
	f.svc.Annotations[annotation.AllowReplacement.Name] = "true"
	if request.Read(f.svc, f.cloud, request.Cluster{ID: "prod"}).Fingerprint == before {
		t.Error("an annotation of the user does not")
	}
}

// A panic in a driver's check of an annotation is contained by who calls, and the Service is not locked for ever.
func TestPanicInACheckLocksNothing(t *testing.T) {
	f := newFixture(t)
	key := annotation.Key{Name: "example.com/panics", Check: func(string) (string, bool) { panic("a check") }}
	f.cloud.Annotations = f.cloud.Annotations.With(annotation.Set{key})
	f.svc.Annotations[key.Name] = "yes"
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_, err := f.Ensure(ctx, f.svc, f.nodes)
			t.Errorf("ensured: %v", err)
		}()
		cancel()
	}
}
