package hcloud_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	sdk "github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

func TestCreationsThatAreRefused(t *testing.T) {
	a := start(t, hcloud.Options{BalancerLimit: 2})
	a.balancerOf(sdk.LoadBalancerCreateOpts{Name: "taken"})
	seeded := a.SeedMachines(26)
	good := object{"name": "web", "load_balancer_type": "lb11", "location": "fsn1"}
	service := object{"protocol": "tcp", "listen_port": 80, "destination_port": 30080}
	var six []object
	for i := range 6 {
		six = append(six, service.with(object{"listen_port": 80 + i}))
	}
	var targets []object
	for _, m := range seeded {
		targets = append(targets, object{"type": "server", "server": object{"id": m.ID}})
	}
	for _, row := range []struct {
		rule    string
		changes object
	}{
		{"common/fields", object{"colour": "red"}},
		{"common/fields", object{"public_interface": "yes"}},
		{"common/name", object{"name": nil}},
		{"common/labels", object{"labels": object{"a/b/c": ""}}},
		{"balancer/name-taken", object{"name": "taken"}},
		{"balancer/type", object{"load_balancer_type": nil}},
		{"balancer/type", object{"load_balancer_type": 7}},
		{"balancer/place", object{"location": nil}},
		{"balancer/place", object{"location": "moon"}},
		{"balancer/place", object{"network_zone": "eu-central"}},
		{"balancer/place", object{"location": nil, "network_zone": "moon"}},
		{"balancer/algorithm", object{"algorithm": object{"type": "random"}}},
		{"balancer/primary-ip", object{"public_net": object{"ipv4": 1}}},
		{"public/network", object{"public_interface": false}},
		{"attach/network", object{"network": 1}},
		{"service/limit", object{"services": six}},
		{"service/port-taken", object{"services": []object{service, service}}},
		{"target/limit", object{"targets": targets}},
		{"target/twice", object{"targets": []object{targets[0], targets[0]}}},
		{"target/form", object{"targets": []object{{"type": "server"}}}},
	} {
		a.refused(row.rule, "POST", "/load_balancers", good.with(row.changes))
	}
	got := a.refused("service/ports", "POST", "/load_balancers", good.with(object{"services": []object{service, service.with(object{"listen_port": 0, "destination_port": nil})}}))
	if want := []string{"services.1.listen_port", "services.1.destination_port", "services.1.health_check.port"}; got.code() != "invalid_input" || !slices.Equal(got.fields(), want) {
		t.Errorf("fields %v, want %v", got.fields(), want)
	}
	if n := len(a.State().Balancers); n != 1 {
		t.Errorf("%d balancers after the refusals, want 1", n)
	}
	a.want(201, "POST", "/load_balancers", good)
	a.refused("balancer/limit", "POST", "/load_balancers", good.with(object{"name": "third"}))
	a.SetBalancerLimit(0)
	a.DeprecateBalancerType("lb11", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	a.want(201, "POST", "/load_balancers", good.with(object{"name": "third"}))
	a.DeprecateBalancerType("lb11", time.Now().Add(-time.Hour), time.Now().Add(-time.Minute))
	a.refused("balancer/type", "POST", "/load_balancers", good.with(object{"name": "fourth"}))
	all, err := a.LoadBalancerType.All(t.Context())
	if err != nil || len(all) != 3 || all[0].Deprecation == nil || all[2].MaxTargets != 150 {
		t.Errorf("types: %+v %v", all, err)
	}
}

func TestServicesThatAreRefused(t *testing.T) {
	a := start(t, hcloud.Options{IssueDelay: -1})
	certificate := a.AddCertificate("site")
	pending := a.want(201, "POST", "/certificates", object{"name": "later", "type": "managed", "domain_names": []string{"example.com"}})
	later := pending.body["certificate"].(map[string]any)["id"]
	b := a.balancerOf(sdk.LoadBalancerCreateOpts{Name: "web"})
	tcp := object{"protocol": "tcp", "listen_port": 443, "destination_port": 30443}
	https := func(options object) object {
		return tcp.with(object{"protocol": "https", "http": object{"certificates": []any{certificate.ID}}.with(options)})
	}
	check := func(options object) object {
		return tcp.with(object{"health_check": object{"protocol": "http", "port": 1}.with(options)})
	}
	for _, row := range []struct {
		rule string
		body object
	}{
		{"service/protocol", tcp.with(object{"protocol": "udp"})},
		{"service/protocol", tcp.with(object{"protocol": nil})},
		{"service/ports", tcp.with(object{"listen_port": nil})},
		{"service/ports", tcp.with(object{"destination_port": 65536})},
		{"service/http", tcp.with(object{"http": object{"sticky_sessions": true}})},
		{"service/redirect", https(object{"redirect_http": true}).with(object{"listen_port": 444})},
		{"service/idle", https(object{"timeout_idle": 29})},
		{"service/idle", https(object{"timeout_idle": 301})},
		{"service/cookie", https(object{"cookie_name": ""})},
		{"service/cookie", https(object{"cookie_lifetime": 0})},
		{"service/certificates", tcp.with(object{"protocol": "https"})},
		{"service/certificates", https(nil).with(object{"protocol": "http"})},
		{"service/certificate-exists", https(object{"certificates": []int{1}})},
		{"service/certificate-exists", https(object{"certificates": []any{later}})},
		{"check/protocol", check(object{"protocol": "udp"})},
		{"check/numbers", check(object{"interval": 2})},
		{"check/numbers", check(object{"timeout": 61})},
		{"check/numbers", check(object{"retries": 0})},
		{"check/http", check(object{"protocol": "tcp", "http": object{"path": "/"}})},
		{"check/http", check(object{"http": object{"path": "x"}})},
		{"check/http", check(object{"http": object{"domain": "a b"}})},
		{"check/status", check(object{"http": object{"status_codes": []string{"ok"}}})},
		{"service/ports", check(object{"port": 0})},
	} {
		a.refused(row.rule, "POST", path(b, "add_service"), row.body)
	}
	a.want(201, "POST", path(b, "add_service"), https(object{"redirect_http": true}))
	got := a.refused("service/port-taken", "POST", path(b, "add_service"), tcp.with(object{"listen_port": 80}))
	if got.status != 412 || got.code() != "source_port_already_used" {
		t.Errorf("the redirect's port: %s", got.text)
	}
	a.refused("service/ports", "POST", path(b, "update_service"), object{"protocol": "tcp"})
	a.refused("certificate/in-use", "DELETE", fmt.Sprintf("/certificates/%d", certificate.ID), nil)

	var many []int64
	for i := range 11 {
		many = append(many, a.AddCertificate(fmt.Sprint("c", i)).ID)
	}
	a.refused("service/certificate-limit", "POST", path(b, "update_service"), object{"listen_port": 443, "http": object{"certificates": many}})
	a.want(201, "POST", path(b, "delete_service"), object{"listen_port": 443})
	a.want(204, "DELETE", fmt.Sprintf("/certificates/%d", certificate.ID), nil)
}
