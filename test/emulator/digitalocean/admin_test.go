package digitalocean_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
)

func TestCountersAndRequestLog(t *testing.T) {
	a := start(t, digitalocean.Options{})
	path := "/v2/load_balancers/" + a.create(regional("a"))
	a.want(http.StatusOK, "GET", path+"?x=1", nil)
	a.want(http.StatusNotFound, "GET", "/v2/load_balancers/none", nil)
	a.want(http.StatusNotFound, "GET", "/v2/nothing", nil)
	got := a.Counters()
	route := got.Routes["GET /v2/load_balancers/{id}"]
	if got.Total != 4 || got.Mutating != 1 || route.Status["200"] != 1 || route.Status["404"] != 1 || got.Of("GET /") != 1 {
		t.Errorf("counters %+v", got)
	}
	log := a.Requests()
	if len(log) != 4 || log[0].Body == "" || log[1].Path != path+"?x=1" || log[2].Status != 404 || log[0].Bytes == 0 {
		t.Errorf("log %+v", log)
	}
	if got := a.want(http.StatusOK, "GET", "/_emulator/counters", nil); got.body["total"] != 4.0 {
		t.Errorf("counters over HTTP: %v", got.body)
	}
	a.want(http.StatusOK, "GET", "/_emulator/requests", nil)
	a.want(http.StatusNoContent, "DELETE", "/_emulator/requests", nil)
	if a.Counters().Total != 0 || len(a.Requests()) != 0 {
		t.Error("the record was not reset")
	}
}

func TestAdminBypassesEverything(t *testing.T) {
	a := start(t, digitalocean.Options{Latency: time.Hour})
	a.AddFault(fault.Fault{Hang: true})
	a.HaltAt(halt.Trigger{N: 1, Phase: halt.Before, Action: halt.Drop})
	a.token = ""
	a.want(http.StatusNoContent, "GET", "/_emulator/health", nil)
	a.want(http.StatusOK, "GET", "/_emulator/state", nil)
	a.want(http.StatusNotFound, "GET", "/_emulator/nothing", nil)
	if a.HaltedAt() != nil || a.Counters().Total != 0 {
		t.Error("admin requests were counted")
	}
	a.want(http.StatusNoContent, "PUT", "/_emulator/latency", object{"latency": "0s"})
	a.want(http.StatusNoContent, "PUT", "/_emulator/quota", object{"hour": 10, "minute": 5})
	if got := a.want(http.StatusOK, "GET", "/_emulator/quota", nil); got.body["hour"] != 10.0 {
		t.Errorf("quota %v", got.body)
	}
}

func TestSeedingOverHTTP(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.want(http.StatusOK, "POST", "/_emulator/droplets", object{"count": 2, "names": []string{"cp"}, "droplets": []object{{"name": "own", "private_ipv4": "10.0.0.1"}}})
	a.want(http.StatusBadRequest, "POST", "/_emulator/droplets", object{"number": 2})
	if got := len(a.State().Droplets); got != 4 {
		t.Fatalf("%d droplets", got)
	}
	path := fmt.Sprintf("/_emulator/droplets/%d/", a.State().Droplets[0].ID)
	for _, action := range []string{"power_off", "power_on", "delete", "resurrect"} {
		a.want(http.StatusNoContent, "POST", path+action, nil)
	}
	for _, wrong := range []string{path + "explode", path + "resurrect", "/_emulator/droplets/x/delete"} {
		a.want(http.StatusBadRequest, "POST", wrong, nil)
	}
	a.want(http.StatusOK, "POST", "/_emulator/certificates", object{"name": "c", "type": "custom", "dns_names": []string{"example.com"}})
	a.want(http.StatusNoContent, "POST", "/_emulator/load_balancers/activate", nil)
	a.want(http.StatusNoContent, "PUT", "/_emulator/tokens/new?account=empty", nil)
	a.token = "new"
	if got := a.want(http.StatusOK, "GET", "/v2/droplets", nil).list("droplets"); len(got) != 0 {
		t.Errorf("the empty account has %d droplets", len(got))
	}
	a.want(http.StatusNoContent, "DELETE", "/_emulator/tokens/new", nil)
	a.want(http.StatusUnauthorized, "GET", "/v2/droplets", nil)
}

func TestReset(t *testing.T) {
	a := start(t, digitalocean.Options{ActivateAfter: time.Hour})
	a.Droplets.Seed(1)
	a.Tags.Add("t")
	a.create(regional("a"))
	a.AddFault(fault.Fault{Status: 500})
	a.HaltAt(halt.Trigger{N: 1, Phase: halt.Before, Action: halt.Drop})
	a.want(http.StatusNoContent, "POST", "/_emulator/reset", nil)
	s := a.State()
	if len(s.Droplets)+len(s.Balancers)+len(s.Tags)+len(s.VPCs)+len(a.Requests())+len(a.Faults()) != 0 {
		t.Errorf("after a reset: %s", s.JSON())
	}
	a.want(http.StatusOK, "GET", "/v2/account", nil)
}

func TestListenTwice(t *testing.T) {
	a := start(t, digitalocean.Options{})
	if _, err := a.Listen("127.0.0.1:0"); err == nil {
		t.Error("a second listener was accepted")
	}
	if _, err := digitalocean.New(digitalocean.Options{}).Listen("nowhere"); err == nil {
		t.Error("a bad address was accepted")
	}
}
