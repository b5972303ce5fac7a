package loadbalancer

import (
	"cmp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
)

// victim returns another Service of the cluster.
func victim(namespace string, addresses ...string) *corev1.Service {
	svc := service()
	svc.Namespace, svc.Name, svc.UID = namespace, "vault", victimUID
	for _, ip := range addresses {
		svc.Status.LoadBalancer.Ingress = append(svc.Status.LoadBalancer.Ingress, corev1.LoadBalancerIngress{IP: ip})
	}
	return svc
}

// What a Service in one namespace can name of what belongs to a Service in another one, by any
// proof that there is: nothing happens to it, and only its owner learns more.
func TestTenantCannotTakeAnothersBalancer(t *testing.T) {
	tests := []struct {
		name          string
		balancer      string
		ownershipTags []string
		publish       bool
	}{
		{name: "our marks", balancer: "other", ownershipTags: []string{"cluster=prod", "uid=" + victimUID}},
		{name: "a name with its UID", balancer: cloud.UIDName(victimUID)},
		{name: "a name with its UID, and the cluster's mark", balancer: cloud.UIDName(victimUID), ownershipTags: []string{"cluster=prod"}},
		{name: "its status", balancer: "other", publish: true},
		{name: "its status, and the cluster's mark", balancer: "other", ownershipTags: []string{"cluster=prod"}, publish: true},
	}
	for _, test := range tests {
		for _, key := range []string{keyID.Name, annotation.Adopt.Name} {
			t.Run(test.name+" "+key, func(t *testing.T) {
				f := newFixture(t, annotated(key, "lb-9"))
				f.place("lb-9", test.balancer, test.ownershipTags...)
				owner := victim("bank")
				if test.publish {
					owner = victim("bank", "192.0.2.9")
				}
				f.others = []*corev1.Service{owner, f.svc}
				for range 3 {
					fails(t, f.ensure(), key, `"lb-9"`, "there is no load balancer with this id that the Service may use")
				}
				said := f.events.take()
				for _, secret := range []string{"bank", "vault", victimUID, "prod"} {
					if text := strings.Join(said, "\n"); strings.Contains(strings.ReplaceAll(text, keptWarning, ""), secret) {
						t.Errorf("the events tell %q: %s", secret, text)
					}
				}
				if got := strings.Count(strings.Join(said, "\n"), keptWarning); got != 1 {
					t.Errorf("the owner was warned %d times: %q", got, said)
				}
				if _, exists, err := f.Get(t.Context(), f.svc); exists || err != nil {
					t.Errorf("Get() = %v, %v", exists, err)
				}
				if b, id, _ := f.Desired(t.Context(), f.svc, f.nodes); id != "" || len(b.Listeners) > 0 {
					t.Errorf("Shape() = %+v, %q", b, id)
				}
				fails(t, f.UpdateTargets(t.Context(), f.svc, f.nodes), "no balancer")
				if err := f.Delete(t.Context(), f.svc); err != nil {
					t.Error(err)
				}
				f.wrote()
				if f.only(); len(f.svc.Status.LoadBalancer.Ingress) > 0 {
					t.Errorf("the status is %v", f.svc.Status.LoadBalancer)
				}
			})
		}
	}
}

// keptWarning is what the owner of a balancer is told of an attempt to take it over.
const keptWarning = "bank/vault LoadBalancerTakeoverRefused: a Service of another namespace named load balancer lb-9 of this Service in an annotation; that was refused, nothing was changed"

func TestOwnerIsToldWhoInItsOwnNamespace(t *testing.T) {
	f := newFixture(t, annotated(keyID.Name, "lb-9"))
	f.place("lb-9", "other", "uid="+victimUID)
	f.others = []*corev1.Service{victim("shop")}
	fails(t, f.ensure(), "lb-9")
	f.said("shop/vault LoadBalancerTakeoverRefused: Service web named", "OwnershipConflict")
}

// Before the switch upstream served the Service with a balancer that carries no ownership tags: its status
// proves that it is the Service's, also where nothing may be adopted.
func TestWhatUpstreamPublishedIsTakenOver(t *testing.T) {
	for _, policy := range []string{"", "own"} {
		f := newFixture(t, annotated(keyID.Name, "lb-9"))
		f.adopts(policy)
		f.svc.Status.LoadBalancer = victim("shop", "192.0.2.9").Status.LoadBalancer
		f.others = []*corev1.Service{victim("bank"), f.svc}
		f.place("lb-9", "chosen")
		f.settle()
		if ownershipTags := strings.Join(f.only().OwnershipTags, ","); ownershipTags != "cluster=prod,uid=0123-4567" {
			t.Errorf("marks %s", ownershipTags)
		}
	}
}

// What has the address of the status may be another cluster's by now: an address is given again, and
// private ones are in several networks at once.
func TestPublishedAddressesThatProveNothing(t *testing.T) {
	for name, test := range map[string]struct {
		ownershipTags []string
		private       string
		refused       bool
	}{
		"another cluster's mark":                    {[]string{"cluster=dev"}, "", true},
		"private":                                   {nil, "10.0.0.", true},
		"private, of carriers":                      {nil, "100.64.0.", true},
		"private, link-local":                       {nil, "169.254.0.", true},
		"private, IPv6":                             {nil, "fd00::", true},
		"private, with this cluster's mark":         {[]string{"cluster=prod"}, "10.0.0.", false},
		"not private, next to the range":            {nil, "100.128.0.", false},
		"not private, with this cluster's mark too": {[]string{"cluster=prod"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, annotated(keyID.Name, "lb-9"))
			f.adopts("own")
			f.place("lb-9", "chosen", test.ownershipTags...).network = test.private
			f.svc.Status.LoadBalancer = victim("shop", cmp.Or(test.private, "192.0.2.")+"9").Status.LoadBalancer
			if !test.refused {
				f.settle()
				if ownershipTags := strings.Join(f.only().OwnershipTags, ","); ownershipTags != "cluster=prod,uid=0123-4567" {
					t.Errorf("marks %s", ownershipTags)
				}
				return
			}
			fails(t, f.ensure(), "there is no load balancer with this id that the Service may use")
			if err := f.Delete(t.Context(), f.svc); err != nil {
				t.Error(err)
			}
			f.wrote()
		})
	}
}

// In a cloud where two balancers can have one name the later Service gets its own.
func TestTheSameNameInAnotherNamespace(t *testing.T) {
	for _, policy := range []string{"", "own"} {
		f := newFixture(t, annotated(keyName.Name, "front"))
		f.adopts(policy)
		f.driver.sameNames = true
		f.place("lb-8", "front", "uid="+victimUID, "cluster=prod")
		f.place("lb-9", "front", "cluster=dev")
		f.settle()
		f.wrote("create balancer")
		f.said()
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Fatal(err)
		}
		f.wrote("delete balancer")
		if f.driver.balancers["lb-8"] == nil || f.driver.balancers["lb-9"] == nil {
			t.Error("another's balancer was deleted")
		}
	}
}

// A Service that goes away before it was ever served has no right to what has its name.
func TestNameIsNoReasonToDelete(t *testing.T) {
	f := newFixture(t, annotated(keyTier.Name, "mistyped"))
	f.place("lb-9", "web")
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.wrote()
	f.only()
}

func TestHostnamesInTheStatusProveNothing(t *testing.T) {
	observed := cloud.Observed{Addresses: []cloud.BalancerAddress{{Hostname: "lb.example.com"}, {IP: "192.0.2.9"}}}
	svc := victim("bank")
	svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{Hostname: "lb.example.com"}, {}}
	if status.Publishes(svc, observed) {
		t.Error("a host name is a proof")
	}
}

// A text that is no id is refused, and does not keep the Service.
func TestMalformedID(t *testing.T) {
	for _, key := range []string{keyID.Name, annotation.Adopt.Name} {
		for _, id := range []string{"10", "regional", "../lb-1", " x", "ä", strings.Repeat("x", 300)} {
			f := newFixture(t, annotated(key, id))
			f.place("lb-9", "web", "uid=0123-4567")
			f.driver.balancers["10"] = &stored{}
			fails(t, f.ensure(), key, strings.TrimSpace(id[:min(len(id), 100)]), keyID.Want)
			if said := strings.Join(f.events.take(), "\n"); !strings.Contains(said, "InvalidConfiguration: "+key) {
				t.Errorf("events %q", said)
			}
			f.driver.writes = nil
			f.svc.DeletionTimestamp = &metav1.Time{}
			if _, exists, err := f.Get(t.Context(), f.svc); !exists || err != nil {
				t.Errorf("Get() = %v, %v", exists, err)
			}
			if err := f.Delete(t.Context(), f.svc); err != nil {
				t.Errorf("Delete() = %v", err)
			}
			f.wrote("delete balancer")
			if f.driver.balancers["10"] == nil {
				t.Error("another balancer was deleted")
			}
		}
	}
}
