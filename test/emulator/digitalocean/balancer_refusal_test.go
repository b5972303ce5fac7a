package digitalocean_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// fields joins a base request and changes to a row of a table.
type refusal struct {
	base    object
	changes object
	message string
}

func rules(list ...object) object { return object{"forwarding_rules": list} }

func TestBalancerRefusals(t *testing.T) {
	a := start(t, digitalocean.Options{})
	droplet := a.Droplets.Seed(1)[0]
	far := a.Droplets.Add(digitalocean.Droplet{Name: "far", Region: "ams3"})
	otherVPC := a.VPCs.Add("other", "nyc3")
	elsewhere := a.Droplets.Add(digitalocean.Droplet{Name: "elsewhere", Region: "nyc3", VPC: otherVPC.ID})
	certificate := a.Certificates.Add("c", digitalocean.CertificateCustom).ID
	farVPC := a.VPCs.Add("far", "ams3")
	a.Tags.Add("there")
	r, n := regional("a"), network("a")
	https := rule("https", 443, "http", 80)

	for _, test := range []refusal{
		{r, object{"colour": "red"}, `unknown field "colour"`},
		{r, object{"name": 7}, "name is of the wrong type"},
		{r, object{"name": nil}, "name must"},
		{r, object{"name": "-a"}, "name must"},
		{r, object{"name": "a-"}, "name must"},
		{r, object{"name": "a_b"}, "name must"},
		{r, object{"name": strings.Repeat("a", 256)}, "name must"},
		{r, object{"region": nil}, "region is required"},
		{r, object{"region": "mars1"}, "region"},
		{r, object{"type": "regional"}, "type"},
		{r, object{"network": "PUBLIC"}, "network"},
		{r, object{"network_stack": "IPV6"}, "network_stack"},
		{r, object{"network": "INTERNAL", "network_stack": "DUALSTACK"}, "DUALSTACK"},
		{r, object{"tls_cipher_policy": "WEAK"}, "tls_cipher_policy"},
		{r, object{"algorithm": "random"}, "algorithm"},
		{r, object{"size": "lb-huge"}, "size"},
		{r, object{"size": "lb-small", "size_unit": 1}, "mutually exclusive"},
		{r, object{"size_unit": 0}, "size_unit"},
		{r, object{"size_unit": 101}, "size_unit"},
		{r, object{"vpc_uuid": "nowhere"}, "vpc_uuid"},
		{r, object{"vpc_uuid": farVPC.ID}, "another region"},
		{r, object{"ip": "2001:db8::1"}, "ip must"},
		{r, object{"tags": []string{"a b"}}, "tag"},

		{r, rules(), "at least one rule"},
		{r, rules(rule("sctp", 80, "tcp", 80)), "entry protocol"},
		{r, rules(rule("tcp", 0, "tcp", 80)), "entry port is invalid"},
		{r, rules(rule("tcp", 65536, "tcp", 80)), "entry port is invalid"},
		{r, rules(rule("tcp", 50053, "tcp", 80)), "entry port is invalid"},
		{r, rules(rule("udp", 50055, "udp", 80)), "entry port is invalid"},
		{r, rules(rule("tcp", 80, "udp", 80)), "target protocol"},
		{r, rules(rule("udp", 80, "tcp", 80)), "target protocol"},
		{r, rules(rule("http", 80, "https", 80)), "target protocol"},
		{r, rules(rule("tcp", 80, "", 80)), "target protocol"},
		{r, rules(rule("http3", 443, "http3", 80)), "target protocol"},
		{r, rules(rule("tcp", 80, "tcp", 80).with(object{"target_port": nil})), "target port is invalid"},
		{r, rules(rule("tcp", 80, "tcp", 65536)), "target port is invalid"},
		{r, rules(rule("tcp", 80, "tcp", 1), rule("http", 80, "http", 2)), "more than one"},
		{r, rules(rule("tcp", 80, "tcp", 80).with(object{"certificate_id": certificate})), "does not support"},
		{r, rules(https), "requires certificate_id or tls_passthrough"},
		{r, rules(rule("http2", 443, "http", 80)), "requires certificate_id or tls_passthrough"},
		{r, rules(rule("http3", 443, "http", 80)), "requires certificate_id"},
		{r, rules(rule("http3", 443, "https", 80).with(object{"tls_passthrough": true})), "http3"},
		{r, rules(https.with(object{"certificate_id": "gone"})), "certificate gone does not exist"},
		{r, rules(https.with(object{"certificate_id": certificate, "tls_passthrough": true})), "mutually exclusive"},
		{r, rules(https.with(object{"tls_passthrough": true})), "encrypted target"},

		{r, object{"health_check": object{"protocol": "udp"}}, "protocol"},
		{r, object{"health_check": object{"path": "healthz"}}, "path"},
		{r, object{"health_check": object{"port": 0}}, "health_check port"},
		{r, object{"health_check": object{"check_interval_seconds": 2}}, "check_interval_seconds must be between 3 and 300"},
		{r, object{"health_check": object{"response_timeout_seconds": 301}}, "response_timeout_seconds"},
		{r, object{"health_check": object{"healthy_threshold": 1}}, "healthy_threshold must be between 2 and 10"},
		{r, object{"health_check": object{"unhealthy_threshold": 11}}, "unhealthy_threshold"},
		{r, object{"health_check": object{"interval": 3}}, "unknown field"},

		{r, object{"sticky_sessions": object{"type": "sourceip"}}, "sticky_sessions type"},
		{r, object{"sticky_sessions": object{"type": "cookies", "cookie_name": "a", "cookie_ttl_seconds": 5}}, "cookie_name"},
		{r, object{"sticky_sessions": object{"type": "cookies", "cookie_name": "DO", "cookie_ttl_seconds": 34651}}, "cookie_ttl"},
		{r, object{"redirect_http_to_https": true}, "redirect_http_to_https"},
		{r, object{"http_idle_timeout_seconds": 29}, "between 30 and 600"},
		{r, object{"http_idle_timeout_seconds": 601}, "between 30 and 600"},
		{r, object{"firewall": object{"deny": []string{"1.2.3.4"}}}, "ip: or cidr:"},
		{r, object{"firewall": object{"allow": []string{"ip:1.2.3.0/24"}}}, "is invalid"},
		{r, object{"firewall": object{"allow": []string{"cidr:1.2.3.4"}}}, "is invalid"},

		{r, object{"droplet_ids": []int{1}}, "droplet 1 does not exist"},
		{r, object{"droplet_ids": []int{far}}, "another region"},
		{r, object{"droplet_ids": []int{elsewhere}}, "another VPC"},
		{r, object{"droplet_ids": []int{droplet.ID}, "tag": "there"}, "mutually exclusive"},
		{r, object{"tag": "missing"}, "does not exist"},
		{r, object{"target_load_balancer_ids": []string{"x"}}, "global"},

		{n, rules(https.with(object{"certificate_id": certificate})), "network load balancers"},
		{n, rules(rule("tcp", 80, "tcp", 30080)), "must equal entry port"},
		{n, object{"enable_proxy_protocol": true}, "only supported by regional"},
		{n, object{"enable_backend_keepalive": true}, "network load balancers"},
		{n, object{"redirect_http_to_https": true}, "network load balancers"},
		{n, object{"http_idle_timeout_seconds": 60}, "network load balancers"},
		{n, object{"sticky_sessions": object{"type": "cookies", "cookie_name": "DO", "cookie_ttl_seconds": 5}}, "network load balancers"},

		{object{"name": "g", "type": "GLOBAL"}, nil, "glb_settings is required"},
		{object{"name": "g", "type": "GLOBAL", "network": "INTERNAL"}, nil, "can't be internal"},
		{r, object{"type": "GLOBAL", "region": nil}, "global load balancers"},
	} {
		a.refused("POST", "/v2/load_balancers", test.base.with(test.changes), test.message)
	}
	if got := a.State().Balancers; len(got) != 0 {
		t.Errorf("refused requests left %d balancers", len(got))
	}
}

func TestBalancerAcceptances(t *testing.T) {
	a := start(t, digitalocean.Options{})
	certificate := a.Certificates.Add("c", digitalocean.CertificateLetsEncrypt).ID
	secure := func(r object) object { return r.with(object{"certificate_id": certificate}) }
	a.Tags.Add("there")
	r, n := regional("a"), network("a")
	target := a.create(r)
	for _, body := range []object{
		r, n,
		r.with(rules(rule("udp", 53, "udp", 30053), rule("tcp", 53, "tcp", 30053))),
		r.with(rules(secure(rule("https", 443, "http", 80)), secure(rule("http3", 443, "http", 80)))),
		r.with(rules(rule("https", 443, "https", 443).with(object{"tls_passthrough": true}))),
		r.with(rules(rule("http", 80, "http", 80), secure(rule("http2", 443, "http", 80)))).with(object{"redirect_http_to_https": true}),
		r.with(object{"tag": "there", "network": "INTERNAL", "size": "lb-large"}),
		r.with(object{"firewall": object{"allow": []string{"ip:192.0.2.1", "cidr:10.0.0.0/8"}, "deny": nil}}),
		r.with(object{"ip": "192.0.2.7", "enable_proxy_protocol": true, "sticky_sessions": object{"type": "none"}}),
		n.with(object{"network_stack": "DUALSTACK", "firewall": object{}}),
		n.with(rules(rule("udp", 53, "udp", 53).with(object{"target_port": nil}))),
		{
			"name": "g", "type": "GLOBAL", "glb_settings": object{"target_protocol": "http", "target_port": 80, "cdn": object{"is_enabled": true}},
			"target_load_balancer_ids": []string{target}, "domains": []object{{"name": "example.com", "is_managed": true}},
		},
	} {
		a.want(http.StatusAccepted, "POST", "/v2/load_balancers", body)
	}
}

func TestBalancerLimitAndNames(t *testing.T) {
	a := start(t, digitalocean.Options{BalancerLimit: 2, UniqueBalancerNames: true})
	a.create(regional("a"))
	a.refused("POST", "/v2/load_balancers", regional("a"), "in use")
	id := a.create(regional("b"))
	a.refused("POST", "/v2/load_balancers", regional("c"), "limit of 2")
	a.refused("PUT", "/v2/load_balancers/"+id, regional("a"), "in use")
	a.LoadBalancers.SetLimit(0)
	a.create(regional("c"))
}

func TestMalformedBodies(t *testing.T) {
	a := start(t, digitalocean.Options{})
	for body, status := range map[string]int{
		"":                      http.StatusUnprocessableEntity,
		"{":                     http.StatusBadRequest,
		"name":                  http.StatusBadRequest,
		`{"name":"a"} {}`:       http.StatusUnprocessableEntity,
		`["name"]`:              http.StatusUnprocessableEntity,
		`{"droplet_ids":["1"]}`: http.StatusUnprocessableEntity,
	} {
		if got := a.do("POST", "/v2/load_balancers", body); got.status != status || got.message() == "" {
			t.Errorf("%q: %d %v, want %d", body, got.status, got.body, status)
		}
	}
}
