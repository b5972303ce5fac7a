package openstack

import (
	"reflect"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/session"
)

// Without routes the kernel has all else that the driver has.
func TestBalancersWithoutRoutes(t *testing.T) {
	services := &session.Services{Extension: map[string]bool{"extraroute": true}}
	d := wireDriver(services, config.Config{Balancer: config.Balancer{Enabled: true}, Router: "r"}, false, "c", "openstack")
	whole := d.handOver(func(warning string) { t.Error(warning) })
	d.config.Router = ""
	without := d.handOver(func(warning string) { t.Error(warning) })
	if whole.Routes == nil || whole.Balancers == nil || without.Routes != nil {
		t.Fatalf("routes %v and %v, balancers %v", whole.Routes, without.Routes, whole.Balancers)
	}
	if without.Routes = whole.Routes; !reflect.DeepEqual(whole, without) {
		t.Errorf("with routes %+v, with balancers alone %+v", whole, without)
	}
}
