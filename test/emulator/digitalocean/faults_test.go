package digitalocean_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

func TestFaultStatus(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.AddFault(fault.Fault{Path: "/v2/account", Status: 503, Body: `{"id":"own"}`, Times: 1, Header: map[string]string{"Retry-After": "7"}})
	got := a.want(503, "GET", "/v2/account", nil)
	if got.body["id"] != "own" || got.header.Get("Retry-After") != "7" {
		t.Errorf("%v %v", got.body, got.header)
	}
	a.want(http.StatusOK, "GET", "/v2/account", nil)
	for status, id := range map[int]string{401: "unauthorized", 404: "not_found", 429: "too_many_requests", 500: "server_error", 502: "server_error"} {
		a.ClearFaults()
		a.AddFault(fault.Fault{Status: status})
		if got := a.want(status, "GET", "/v2/account", nil); got.body["id"] != id {
			t.Errorf("%d: %v, want id %s", status, got.body, id)
		}
	}
}

func TestFaultAfterApplying(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.AddFault(fault.Fault{Method: "POST", Status: 500, Times: 1})
	a.want(500, "POST", "/v2/load_balancers", regional("lost"))
	a.AddFault(fault.Fault{Method: "POST", Status: 500, Apply: true, Times: 1})
	a.want(500, "POST", "/v2/load_balancers", regional("applied"))
	if s := a.State(); s.Balancer("lost") != nil || s.Balancer("applied") == nil {
		t.Errorf("balancers %+v", s.Balancers)
	}
}

func TestFaultHangAndDrop(t *testing.T) {
	a := start(t, digitalocean.Options{})
	hang := a.AddFault(fault.Fault{Hang: true})
	if got := a.try(short(t), "GET", "/v2/account", nil); !errors.Is(got.err, context.DeadlineExceeded) {
		t.Errorf("hang: %d %v", got.status, got.err)
	}
	a.RemoveFault(hang)
	a.AddFault(fault.Fault{Drop: true, Apply: true, Times: 1})
	if got := a.try(t.Context(), "POST", "/v2/tags", object{"name": "kept"}); got.err == nil {
		t.Errorf("drop answered %d", got.status)
	}
	if got := a.State().Tags; len(got) != 1 {
		t.Errorf("tags %v", got)
	}
	if got := a.Counters(); got.Routes["GET /v2/account"].Status["0"] != 1 || got.Routes["POST /v2/tags"].Status["0"] != 1 {
		t.Errorf("counters %+v", got)
	}
}

func TestFaultLatency(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.AddFault(fault.Fault{Latency: fault.Duration(time.Hour)})
	if got := a.try(short(t), "POST", "/v2/tags", object{"name": "late"}); got.err == nil {
		t.Errorf("answered %d", got.status)
	}
	if got := a.State().Tags; len(got) != 0 {
		t.Errorf("a request whose caller left was applied: %v", got)
	}
	a.ClearFaults()
	a.AddFault(fault.Fault{Latency: fault.Duration(20 * time.Millisecond)})
	started := time.Now()
	a.want(http.StatusOK, "GET", "/v2/account", nil)
	if took := time.Since(started); took < 20*time.Millisecond {
		t.Errorf("answered after %s", took)
	}
}

func TestFaultTruncate(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.Droplets.Seed(3)
	keep := 100
	a.AddFault(fault.Fault{Truncate: &keep, Times: 1})
	got := a.try(t.Context(), "GET", "/v2/droplets", nil)
	if got.status != http.StatusOK || !errors.Is(got.err, io.ErrUnexpectedEOF) {
		t.Errorf("%d, %v; want 200 and a broken body", got.status, got.err)
	}
	a.want(http.StatusOK, "GET", "/v2/droplets", nil)
}

func TestFaultLists(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.Droplets.Seed(450)
	page := func(n string) answer { return a.do("GET", "/v2/droplets?per_page=200&page="+n, nil) }

	empty := a.AddFault(fault.Empty("/v2/droplets"))
	got := page("1")
	if len(got.list("droplets")) != 0 || len(got.object("links")) != 0 || got.object("meta")["total"] != 0.0 {
		t.Errorf("empty list: %v", got.body)
	}
	a.RemoveFault(empty)

	second := a.AddFault(fault.Fault{Path: "/v2/droplets", Page: 2, Status: 500})
	if page("1").status != 200 || page("2").status != 500 || page("3").status != 200 {
		t.Error("only page 2 was to fail")
	}
	a.RemoveFault(second)

	a.AddFault(fault.Fault{Path: "/v2/droplets", Page: 2, List: &fault.List{Keep: 5}})
	got = page("2")
	if len(got.list("droplets")) != 5 || got.object("meta")["total"] != 450.0 || got.object("links")["pages"] == nil {
		t.Errorf("partial page: %d droplets, %v", len(got.list("droplets")), got.object("meta"))
	}
}

func TestFaultsOverHTTP(t *testing.T) {
	a := start(t, digitalocean.Options{})
	id, _ := a.want(http.StatusOK, "POST", "/_emulator/faults", object{"path": "/v2/account", "status": 500, "latency": "1ms"}).body["id"].(string)
	a.want(500, "GET", "/v2/account", nil)
	if got := a.Faults(); len(got) != 1 || got[0].Hit != 1 || got[0].ID != id {
		t.Errorf("faults %+v", got)
	}
	a.want(http.StatusBadRequest, "POST", "/_emulator/faults", object{"chance": 0.5})
	a.want(http.StatusBadRequest, "POST", "/_emulator/faults", object{"times": -1})
	a.want(http.StatusBadRequest, "POST", "/_emulator/faults", `{} {}`)
	a.want(http.StatusNoContent, "DELETE", "/_emulator/faults/"+id, nil)
	a.want(http.StatusNotFound, "DELETE", "/_emulator/faults/"+id, nil)
	a.want(http.StatusOK, "GET", "/v2/account", nil)
	a.want(http.StatusNoContent, "DELETE", "/_emulator/faults", nil)
	a.want(http.StatusOK, "GET", "/_emulator/faults", nil)
}
