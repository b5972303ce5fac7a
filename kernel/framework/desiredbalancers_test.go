package framework

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestShapesAreReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, id := 0, ""
		var failure error
		s := &desiredBalancers{ttl: time.Hour, known: map[types.UID]desiredBalancer{}}
		expect := func(why string, svc *corev1.Service, want int) {
			t.Helper()
			reads = 0
			for range 2 {
				_, got, err := s.of(svc, func() (cloud.Balancer, string, error) { reads++; return cloud.Balancer{}, id, failure })
				if got != id && err == nil {
					t.Errorf("%s: id %q", why, got)
				}
			}
			if reads != want {
				t.Errorf("%s: %d reads, want %d", why, reads, want)
			}
		}
		svc, changed := service("web"), service("web", func(s *corev1.Service) { s.ResourceVersion = "8" })
		expect("not there yet", svc, 2)
		id, failure = "lb-1", errors.New("no")
		expect("failure", svc, 2)
		failure = nil
		expect("there", svc, 1)
		expect("same again", svc, 0)
		expect("changed", changed, 1)
		time.Sleep(time.Hour)
		expect("old", changed, 1)
		s.keep(nil)
		if len(s.known) > 0 {
			t.Error("a deleted Service is remembered")
		}
	})
}

func TestFirewallManaged(t *testing.T) {
	if FirewallManaged(annotation.Kernel()) != nil {
		t.Error("a key no provider declares")
	}
	key := annotation.Key{Name: managedKey, Aliases: []string{"example.com/firewall"}, Type: annotation.TypeBool, Default: "true", Lenient: true}
	managed := FirewallManaged(annotation.Set{key})
	for _, tt := range []struct {
		svc     *corev1.Service
		managed bool
		warns   bool
	}{
		{service("web"), true, false},
		{service("web", withAnnotation(managedKey, "false")), false, false},
		{service("web", withAnnotation("example.com/firewall", "false"), withAnnotation("example.com/other", "x")), false, false},
		{service("web", withAnnotation(managedKey, "perhaps")), true, true},
	} {
		got, warning := managed(tt.svc)
		if got != tt.managed || (warning != "") != tt.warns {
			t.Errorf("%v: %v, %q", tt.svc.Annotations, got, warning)
		}
	}
}
