package digitalocean_test

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

func TestBalancerBecomesActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := digitalocean.New(digitalocean.Options{ActivateAfter: time.Minute, Latency: time.Second})
		defer server.Close()
		body := `{"name":"a","region":"nyc3","network":"INTERNAL","forwarding_rules":[{"entry_protocol":"tcp","entry_port":1,"target_protocol":"tcp","target_port":1}]}`
		r := httptest.NewRequest("POST", "/v2/load_balancers", strings.NewReader(body)).WithContext(t.Context())
		r.Header.Set("Authorization", "Bearer test-token")
		started := time.Now()
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code != http.StatusAccepted || time.Since(started) != time.Second {
			t.Fatalf("status %d after %s", w.Code, time.Since(started))
		}
		err := server.Await(t.Context(), func(s digitalocean.State) bool { return s.Balancers[0].Status == digitalocean.BalancerActive })
		if took := time.Since(started); err != nil || took != 61*time.Second {
			t.Errorf("active after %s, want 61s: %v", took, err)
		}
		if ip := server.State().Balancers[0].IP; !strings.HasPrefix(ip, "10.101.") {
			t.Errorf("internal balancer has %s, want an address of its VPC", ip)
		}
	})
}

func TestListBalancers(t *testing.T) {
	a := start(t, digitalocean.Options{})
	for _, name := range []string{"a", "b", "a"} {
		a.create(regional(name))
	}
	last := a.State().Balancers[2].ID
	for query, want := range map[string]int{
		"": 3, "?names=a": 2, "?names=a&names=b": 3, "?names=c": 0, "?uuids=" + last: 1, "?per_page=2": 2, "?per_page=2&page=2": 1,
	} {
		if got := a.want(http.StatusOK, "GET", "/v2/load_balancers"+query, nil); len(got.list("load_balancers")) != want {
			t.Errorf("%q: %d balancers, want %d", query, len(got.list("load_balancers")), want)
		}
	}
	a.refused("GET", "/v2/load_balancers?names=a&uuids=b", nil, "combined")
}

func TestDeleteBalancer(t *testing.T) {
	a := start(t, digitalocean.Options{ActivateAfter: time.Hour})
	path := "/v2/load_balancers/" + a.create(regional("a"))
	a.want(http.StatusNoContent, "DELETE", path, nil)
	a.want(http.StatusNotFound, "DELETE", path, nil)
	a.want(http.StatusNotFound, "GET", path, nil)
}

func TestBalancerDroplets(t *testing.T) {
	a := start(t, digitalocean.Options{})
	d := a.Droplets.Seed(3)
	path := "/v2/load_balancers/" + a.create(regional("a").with(object{"droplet_ids": []int{d[0].ID}}))
	ids := func(list ...int) object { return object{"droplet_ids": list} }
	a.want(http.StatusNoContent, "POST", path+"/droplets", ids(d[0].ID, d[1].ID, d[2].ID))
	a.want(http.StatusNoContent, "DELETE", path+"/droplets", ids(d[0].ID))
	a.refused("DELETE", path+"/droplets", ids(d[0].ID), "not assigned")
	a.refused("POST", path+"/droplets", ids(7), "does not exist")
	a.refused("POST", path+"/droplets", object{}, "required")
	a.want(http.StatusNotFound, "POST", "/v2/load_balancers/none/droplets", ids(7))
	if got := a.State().Balancers[0].DropletIDs; !reflect.DeepEqual(got, []int{d[1].ID, d[2].ID}) {
		t.Errorf("droplets %v", got)
	}
	if err := a.Droplets.Delete(d[1].ID); err != nil {
		t.Fatal(err)
	}
	if got := a.State().Balancers[0].DropletIDs; !reflect.DeepEqual(got, []int{d[2].ID}) {
		t.Errorf("droplets %v after one was deleted", got)
	}
}

func TestBalancerWithTag(t *testing.T) {
	a := start(t, digitalocean.Options{})
	d := a.Droplets.Seed(2, func(d *digitalocean.Droplet) { d.Tags = []string{"worker"} })
	path := "/v2/load_balancers/" + a.create(regional("a").with(object{"tag": "worker"}))
	if got := a.State().Balancers[0].DropletIDs; !reflect.DeepEqual(got, []int{d[0].ID, d[1].ID}) {
		t.Errorf("droplets %v", got)
	}
	a.refused("POST", path+"/droplets", object{"droplet_ids": []int{d[0].ID}}, "tag")
}

func TestBalancerRules(t *testing.T) {
	a := start(t, digitalocean.Options{})
	path := "/v2/load_balancers/" + a.create(regional("a")) + "/forwarding_rules"
	body := func(list ...object) object { return object{"forwarding_rules": list} }
	a.want(http.StatusNoContent, "POST", path, body(rule("tcp", 81, "tcp", 30081)))
	a.refused("POST", path, body(rule("tcp", 81, "tcp", 30082)), "more than one")
	a.refused("POST", path, body(rule("https", 443, "http", 30082)), "certificate")
	a.refused("DELETE", path, body(rule("tcp", 81, "tcp", 1)), "no such forwarding rule")
	a.want(http.StatusNoContent, "DELETE", path, body(rule("tcp", 80, "tcp", 30080)))
	a.refused("DELETE", path, body(rule("tcp", 81, "tcp", 30081)), "at least one rule")
	if got := a.State().Balancers[0].ForwardingRules; len(got) != 1 || got[0].EntryPort != 81 {
		t.Errorf("rules %+v", got)
	}
}

func TestHandEditsOfBalancers(t *testing.T) {
	a := start(t, digitalocean.Options{})
	id := a.LoadBalancers.Add(digitalocean.Balancer{Name: "foreign", Tags: []string{"k8s:other"}, Network: "EXTERNAL"})
	if err := a.LoadBalancers.Edit(id, func(b *digitalocean.Balancer) { b.SizeUnit, b.ID = 5, "other" }); err != nil {
		t.Fatal(err)
	}
	got := a.want(http.StatusOK, "GET", "/v2/load_balancers/"+id, nil).object("load_balancer")
	if got["size_unit"] != 5.0 || got["status"] != "active" || got["ip"] == "" || a.State().Balancer("foreign") == nil {
		t.Errorf("balancer %v", got)
	}
	if err := a.LoadBalancers.Delete(id); err != nil {
		t.Fatal(err)
	}
	if a.LoadBalancers.Delete(id) == nil || a.LoadBalancers.Edit(id, func(*digitalocean.Balancer) {}) == nil {
		t.Error("a balancer that does not exist was edited")
	}
}
