package digitalocean_test

import (
	"net/http"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

func TestUpdateResetsWhatIsLeftOut(t *testing.T) {
	a := start(t, digitalocean.Options{})
	droplets := a.Droplets.Seed(2)
	vpc := a.State().VPCs[0].ID
	id := a.create(regional("a").with(object{
		"size_unit": 3, "droplet_ids": []int{droplets[0].ID, droplets[1].ID, droplets[0].ID},
		"enable_proxy_protocol": true, "enable_backend_keepalive": true, "http_idle_timeout_seconds": 90,
		"tls_cipher_policy": "STRONG", "project_id": "mine", "disable_lets_encrypt_dns_records": true,
		"network": "INTERNAL", "vpc_uuid": vpc, "tags": []string{"k8s:one"},
		"health_check":    object{"port": 10256, "path": "/healthz", "check_interval_seconds": 3, "proxy_protocol": false},
		"sticky_sessions": object{"type": "cookies", "cookie_name": "DO-LB", "cookie_ttl_seconds": 300},
		"firewall":        object{"deny": []string{"ip:192.0.2.1"}},
	}))
	before := a.State().Balancers[0]
	if len(before.DropletIDs) != 2 || before.Status != "active" || before.Firewall.Deny[0] != "ip:192.0.2.1" {
		t.Fatalf("created: %+v", before)
	}
	a.want(http.StatusOK, "PUT", "/v2/load_balancers/"+id, object{
		"name": "b", "tags": []string{"ignored"}, "forwarding_rules": []object{rule("tcp", 81, "tcp", 30081)},
	})
	got := a.State().Balancers[0]
	want := before
	want.Name, want.SizeUnit, want.DropletIDs = "b", 1, []int{}
	want.ForwardingRules = []digitalocean.ForwardingRule{{EntryProtocol: "tcp", EntryPort: 81, TargetProtocol: "tcp", TargetPort: 30081}}
	want.EnableProxyProtocol, want.EnableBackendKeepalive, want.DisableLetsEncryptDNSRecords = false, false, false
	want.HTTPIdleTimeoutSeconds, want.TLSCipherPolicy, want.ProjectID = 60, "DEFAULT", got.ProjectID
	want.HealthCheck = digitalocean.HealthCheck{
		Protocol: "http", Port: 80, Path: "/", CheckIntervalSeconds: 10, ResponseTimeoutSeconds: 5, HealthyThreshold: 5, UnhealthyThreshold: 3,
	}
	want.StickySessions = digitalocean.StickySessions{Type: "none"}
	want.Firewall.Deny = []string{}
	if !reflect.DeepEqual(got, want) || got.ProjectID == "mine" {
		t.Errorf("after an update with name and rules only:\n%+v\nwant\n%+v", got, want)
	}
}

func TestImmutableFields(t *testing.T) {
	a := start(t, digitalocean.Options{})
	other := a.VPCs.Add("other", "nyc3").ID
	id := a.create(regional("a"))
	path := "/v2/load_balancers/" + id
	for field, value := range map[string]any{
		"type": "REGIONAL_NETWORK", "network": "INTERNAL", "network_stack": "DUALSTACK",
		"region": "ams3", "vpc_uuid": other, "subnet_uuid": "s", "ip": "192.0.2.1",
	} {
		a.refused("PUT", path, regional("a").with(object{field: value}), field+" can't be changed")
	}
	b := a.State().Balancers[0]
	a.want(http.StatusOK, "PUT", path, regional("a").with(object{"vpc_uuid": b.VPCUUID, "network": "EXTERNAL", "ip": b.IP}))
	a.want(http.StatusNotFound, "PUT", "/v2/load_balancers/none", regional("a"))
}

func TestUpdateWhileNew(t *testing.T) {
	a := start(t, digitalocean.Options{ActivateAfter: -1})
	droplet := a.Droplets.Seed(1)[0].ID
	path := "/v2/load_balancers/" + a.create(regional("a"))
	droplets, rules := object{"droplet_ids": []int{droplet}}, object{"forwarding_rules": []object{rule("tcp", 1, "tcp", 1)}}
	const busy = "can't be updated while it processes previous actions"
	a.refused("PUT", path, regional("a"), busy)
	a.refused("POST", path+"/droplets", droplets, busy)
	a.refused("POST", path+"/forwarding_rules", rules, busy)
	if got := a.want(http.StatusOK, "GET", path, nil).object("load_balancer"); got["status"] != "new" || got["ip"] != "" {
		t.Errorf("status %v, ip %v", got["status"], got["ip"])
	}
	a.LoadBalancers.Activate()
	a.want(http.StatusOK, "PUT", path, regional("a"))
	a.want(http.StatusNoContent, "POST", path+"/droplets", droplets)
	a.want(http.StatusNoContent, "POST", path+"/forwarding_rules", rules)

	lenient := start(t, digitalocean.Options{ActivateAfter: -1, AllowUpdateWhileNew: true})
	lenient.want(http.StatusOK, "PUT", "/v2/load_balancers/"+lenient.create(regional("a")), regional("a"))
}

func TestResizeOncePerHour(t *testing.T) {
	var offset atomic.Int64
	now := func() time.Time { return time.Unix(1_800_000_000+offset.Load(), 0) }
	a := start(t, digitalocean.Options{ResizeOncePerHour: true, Now: now})
	path := "/v2/load_balancers/" + a.create(regional("a"))
	two := regional("a").with(object{"size_unit": 2})
	a.refused("PUT", path, two, "once per hour")
	a.want(http.StatusOK, "PUT", path, regional("a"))
	offset.Add(3600)
	a.want(http.StatusOK, "PUT", path, two)
	a.want(http.StatusOK, "PUT", path, two)
	a.refused("PUT", path, regional("a"), "once per hour")
}

func TestValidateOnly(t *testing.T) {
	a := start(t, digitalocean.Options{})
	only := object{"validate_only": true}
	a.want(http.StatusNoContent, "POST", "/v2/load_balancers", regional("a").with(only))
	a.refused("POST", "/v2/load_balancers", regional("-").with(only), "name")
	path := "/v2/load_balancers/" + a.create(regional("a"))
	a.want(http.StatusNoContent, "PUT", path, regional("b").with(only))
	a.refused("PUT", path, network("b").with(only), "type can't be changed")
	if got := a.State().Balancers; len(got) != 1 || got[0].Name != "a" {
		t.Errorf("validate_only changed something: %+v", got)
	}
}

func TestNetworkBalancerRoundTrip(t *testing.T) {
	a := start(t, digitalocean.Options{})
	path := "/v2/load_balancers/" + a.create(network("a").with(object{"network_stack": "DUALSTACK"}))
	got := a.want(http.StatusOK, "GET", path, nil).object("load_balancer")
	if _, shown := got["http_idle_timeout_seconds"]; shown || got["ipv6"] == nil || got["ip"] == "" {
		t.Errorf("network balancer: %v", got)
	}
}
