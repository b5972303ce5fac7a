package openstack

import (
	"reflect"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/session"
)

// Without routes the kernel finds all else that the driver has: what is optional is found by type assertion, and is easily left out.
func TestBalancersWithoutRoutes(t *testing.T) {
	d := wireDriver(&session.Services{}, config.Config{Balancer: config.Balancer{Enabled: true}}, false, "c", "openstack")
	options := run.Options{Descriptor: Descriptor(), Annotations: Annotations()}
	whole, enabled := run.Decorate(d, options), run.Decorate(d.enabled(func(string) {}), options)
	if whole.Reach == nil || enabled.Routes != nil {
		t.Fatalf("reaching %v, routes %v", whole.Reach, enabled.Routes)
	}
	a, b := reflect.ValueOf(*whole), reflect.ValueOf(*enabled)
	for n := range a.NumField() {
		field := a.Type().Field(n)
		if field.Type.Kind() != reflect.Interface || field.Type == reflect.TypeFor[cloud.Routes]() || field.Type == reflect.TypeFor[cloud.RouteScope]() {
			continue
		}
		if a.Field(n).IsNil() != b.Field(n).IsNil() {
			t.Errorf("%s: the driver has it: %t, with balancers alone: %t", field.Name, !a.Field(n).IsNil(), !b.Field(n).IsNil())
		}
	}
}
