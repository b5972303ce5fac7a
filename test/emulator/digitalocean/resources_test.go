package digitalocean_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

func TestTags(t *testing.T) {
	a := start(t, digitalocean.Options{})
	balancer := a.create(regional("a").with(object{"tags": []string{"k8s:One", "k8s:one"}}))
	droplet := strconv.Itoa(a.Droplets.Seed(1)[0].ID)
	resources := func(list ...string) object {
		var all []object
		for i := 0; i < len(list); i += 2 {
			all = append(all, object{"resource_type": list[i], "resource_id": list[i+1]})
		}
		return object{"resources": all}
	}
	a.want(http.StatusNotFound, "POST", "/v2/tags/new/resources", resources("load_balancer", balancer))
	a.want(http.StatusCreated, "POST", "/v2/tags", object{"name": "new"})
	a.refused("POST", "/v2/tags", object{"name": "a b"}, "letters, numbers")
	a.refused("POST", "/v2/tags/new/resources", resources("load_balancer", balancer, "droplet", "1"), "does not exist")
	a.refused("POST", "/v2/tags/new/resources", resources("volume", "1"), "not supported")
	a.refused("POST", "/v2/tags/new/resources", resources(), "required")
	if got := a.State().Balancers[0].Tags; !reflect.DeepEqual(got, []string{"k8s:One"}) {
		t.Errorf("tags %v: a refused request must change nothing", got)
	}
	a.want(http.StatusNoContent, "POST", "/v2/tags/NEW/resources", resources("load_balancer", balancer, "droplet", droplet))
	if got := a.want(http.StatusOK, "GET", "/v2/tags/new", nil).object("tag"); fmt.Sprint(got["resources"]) != "map[count:2 droplets:map[count:1]]" {
		t.Errorf("tag %v", got)
	}
	a.want(http.StatusNoContent, "DELETE", "/v2/tags/new/resources", resources("droplet", droplet))
	a.want(http.StatusNoContent, "DELETE", "/v2/tags/k8s:one", nil)
	a.want(http.StatusNotFound, "DELETE", "/v2/tags/k8s:one", nil)
	if got := a.State(); !reflect.DeepEqual(got.Balancers[0].Tags, []string{"new"}) || len(got.Droplets[0].Tags) != 0 {
		t.Errorf("tags %v and %v", got.Balancers[0].Tags, got.Droplets[0].Tags)
	}
	if got := names(a.want(http.StatusOK, "GET", "/v2/tags", nil), "tags"); got != "new" {
		t.Errorf("tags %q", got)
	}
}

func TestCertificates(t *testing.T) {
	a := start(t, digitalocean.Options{})
	custom := a.Certificates.Add("own", digitalocean.CertificateCustom, "example.com")
	old := a.Certificates.Add("le", digitalocean.CertificateLetsEncrypt, "example.org")
	a.create(regional("a").with(rules(rule("https", 443, "http", 80).with(object{"certificate_id": old.ID}))))
	renewed, err := a.Certificates.Rotate(old.ID)
	if err != nil || renewed.ID == old.ID || renewed.Name != "le" {
		t.Fatalf("rotated to %+v: %v", renewed, err)
	}
	a.want(http.StatusNotFound, "GET", "/v2/certificates/"+old.ID, nil)
	if got := a.want(http.StatusOK, "GET", "/v2/certificates/"+renewed.ID, nil).object("certificate"); got["type"] != "lets_encrypt" {
		t.Errorf("certificate %v", got)
	}
	if got := a.State().Balancers[0].ForwardingRules[0].CertificateID; got != renewed.ID {
		t.Errorf("the balancer uses %s, want %s", got, renewed.ID)
	}
	if _, err := a.Certificates.Rotate(custom.ID); err == nil {
		t.Error("a custom certificate was rotated")
	}
	a.Certificates.Remove(custom.ID)
	for query, want := range map[string]string{"": "le", "?name=le": "le", "?name=own": "", "?name=l": ""} {
		if got := names(a.want(http.StatusOK, "GET", "/v2/certificates"+query, nil), "certificates"); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

// everyone is a rule that lets a port in from everywhere.
func everyone(protocol, ports string) object {
	r := object{"protocol": protocol, "ports": ports, "sources": object{"addresses": []string{"0.0.0.0/0", "::/0"}}}
	if ports == "" {
		delete(r, "ports")
	}
	return r
}

func TestFirewallLife(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.Tags.Add("workers")
	balancer := a.create(network("a"))
	body := object{
		"name": "nodes", "tags": []string{"workers"}, "droplet_ids": nil,
		"inbound_rules": []object{
			everyone("tcp", "all"), everyone("udp", "30000-32767"), everyone("icmp", ""),
			{"protocol": "tcp", "ports": "10256", "sources": object{"load_balancer_uids": []string{balancer}}},
		},
		"outbound_rules": nil,
	}
	made := a.want(http.StatusAccepted, "POST", "/v2/firewalls", body).object("firewall")
	if made["status"] != "waiting" || fmt.Sprint(made["outbound_rules"], made["droplet_ids"]) != "[] []" {
		t.Errorf("created %v", made)
	}
	a.want(http.StatusConflict, "POST", "/v2/firewalls", body)
	path := fmt.Sprint("/v2/firewalls/", made["id"])
	state := a.State().Firewalls[0]
	var ports []string
	for _, r := range state.InboundRules {
		ports = append(ports, r.Ports)
	}
	if got := strings.Join(ports, " "); got != "0 30000-32767 0 10256" || state.Status != "succeeded" {
		t.Errorf("ports %s, status %s", got, state.Status)
	}
	a.want(http.StatusOK, "PUT", path, body.with(object{"inbound_rules": []object{everyone("tcp", "0")}, "tags": nil}))
	if got := a.State().Firewalls[0]; len(got.InboundRules) != 1 || len(got.Tags) != 0 || got.CreatedAt != state.CreatedAt {
		t.Errorf("updated %+v", got)
	}
	if err := a.Firewalls.Edit(state.ID, func(f *digitalocean.Firewall) { f.InboundRules = nil }); err != nil {
		t.Fatal(err)
	}
	if got := a.want(http.StatusOK, "GET", path, nil).object("firewall"); fmt.Sprint(got["inbound_rules"]) != "[]" {
		t.Errorf("edited %v", got)
	}
	a.want(http.StatusNoContent, "DELETE", path, nil)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		a.want(http.StatusNotFound, method, path, body)
	}
}

func TestFirewallRefusals(t *testing.T) {
	a := start(t, digitalocean.Options{})
	good := object{"name": "f", "inbound_rules": []object{everyone("tcp", "80")}}
	inbound := func(list ...object) object { return object{"inbound_rules": list} }
	many := make([]object, 51)
	for i := range many {
		many[i] = everyone("tcp", strconv.Itoa(30000+i))
	}
	source := func(fields object) object { return everyone("tcp", "80").with(object{"sources": fields}) }
	for _, test := range []struct {
		changes object
		message string
	}{
		{object{"name": "-"}, "name"},
		{object{"region": "nyc3"}, "unknown field"},
		{inbound(), "at least one rule"},
		{inbound(many...), "at most 50 rules"},
		{object{"outbound_rules": []object{{"protocol": "tcp", "ports": "all"}}}, "destinations is required"},
		{object{"tags": []string{"missing"}}, "does not exist"},
		{object{"tags": []string{"1", "2", "3", "4", "5", "6"}}, "at most 5 tags"},
		{object{"droplet_ids": []int{1}}, "droplet 1"},
		{object{"droplet_ids": make([]int, 11)}, "at most 10 droplets"},
		{inbound(everyone("sctp", "80")), "protocol"},
		{inbound(everyone("tcp", "")), "ports is required"},
		{inbound(everyone("tcp", "80-")), "ports"},
		{inbound(everyone("tcp", "90-80")), "ports"},
		{inbound(everyone("tcp", "65536")), "ports"},
		{inbound(everyone("icmp", "80")), "icmp"},
		{inbound(everyone("tcp", "80").with(object{"action": "log"})), "action"},
		{inbound(source(object{})), "at least one address"},
		{inbound(source(object{"addresses": []string{"all"}})), "address"},
		{inbound(source(object{"load_balancer_uids": []string{"gone"}})), "load balancer gone"},
		{inbound(source(object{"tags": []string{"gone"}})), "tag"},
	} {
		a.refused("POST", "/v2/firewalls", good.with(test.changes), test.message)
	}
	a.want(http.StatusAccepted, "POST", "/v2/firewalls", good.with(inbound(many[:50]...)))
}

func TestSmallResources(t *testing.T) {
	a := start(t, digitalocean.Options{Region: "fra1"})
	if got := a.want(http.StatusOK, "GET", "/v2/account", nil).object("account"); got["status"] != "active" {
		t.Errorf("account %v", got)
	}
	if got := a.want(http.StatusOK, "GET", "/v2/regions?per_page=200", nil).list("regions"); len(got) < 10 {
		t.Errorf("regions %v", got)
	}
	vpc := a.VPCs.Add("mine", "fra1")
	if got := a.want(http.StatusOK, "GET", "/v2/vpcs", nil).list("vpcs"); len(got) != 1 {
		t.Errorf("VPCs %v", got)
	}
	a.want(http.StatusOK, "GET", "/v2/vpcs/"+vpc.ID, nil)
	for _, path := range []string{"/v2/vpcs/none", "/v2/certificates/none", "/v2/tags/none", "/v2/nothing", "/"} {
		a.want(http.StatusNotFound, "GET", path, nil)
	}
	response, err := client(t).Get(a.url + "/metadata/v1/region")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text := make([]byte, 16)
	if n, _ := response.Body.Read(text); string(text[:n]) != "fra1" || response.StatusCode != http.StatusOK {
		t.Errorf("metadata: %d %q", response.StatusCode, text[:n])
	}
}
