package hcloud_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

func TestFaultsHaveTheVendorsErrors(t *testing.T) {
	a := start(t, hcloud.Options{})
	a.SeedMachines(60)
	for status, want := range map[int]sdk.ErrorCode{
		401: "unauthorized", 403: "forbidden", 404: "not_found", 409: "conflict", 412: "resource_unavailable", 423: "locked",
		429: "rate_limit_exceeded", 500: "server_error", 502: "bad_gateway", 503: "unavailable", 504: "timeout", 422: "invalid_input", 418: "unknown_error",
	} {
		a.AddFault(fault.Fault{Path: "/v1/servers", Status: status, Times: 1})
		if _, _, err := a.Client.Server.List(t.Context(), sdk.ServerListOpts{}); code(err) != want {
			t.Errorf("%d: %v, want %s", status, err, want)
		}
	}
	a.AddFault(fault.Fault{Path: "/v1/servers", List: &fault.List{Keep: 7, Consistent: true}, Times: 1})
	if all, err := a.Client.Server.All(t.Context()); err != nil || len(all) != 7 {
		t.Errorf("a list that claims to be whole: %d servers, %v", len(all), err)
	}
	a.AddFault(fault.Fault{Path: "/v1/servers", Page: 2, Status: 500})
	if _, err := a.Client.Server.All(t.Context()); code(err) != sdk.ErrorCodeServerError {
		t.Errorf("the second page: %v", err)
	}
}

func TestAHaltAfterAWrite(t *testing.T) {
	a := start(t, hcloud.Options{})
	a.HaltAt(halt.Trigger{N: 1, Mutating: true, Phase: halt.After, Action: halt.Drop})
	_, _, err := a.LoadBalancer.Create(t.Context(), sdk.LoadBalancerCreateOpts{Name: "web", LoadBalancerType: &sdk.LoadBalancerType{ID: 1}, Location: &sdk.Location{ID: 1, Name: "fsn1"}})
	if err == nil || len(a.State().Balancers) != 1 || a.HaltedAt() == nil {
		t.Errorf("%v %s", err, a.State().JSON())
	}
}

func TestCountersAndReset(t *testing.T) {
	a := start(t, hcloud.Options{})
	a.SeedMachines(1)
	a.Robot.Seed(1)
	a.want(404, "GET", "/servers/1", nil)
	a.want(404, "GET", "/nonsense", nil)
	if got := a.Counters(); got.Of("GET /v1/servers/{id}") != 1 || got.Of("GET /") != 1 || got.Mutating != 0 {
		t.Errorf("%+v", got)
	}
	a.Reset()
	if state := a.State(); len(state.Machines) != 0 || len(a.Robot.Machines()) != 0 || a.Counters().Total != 0 {
		t.Errorf("after a reset: %s", state.JSON())
	}
	a.want(200, "GET", "/servers", nil)
}

// admin sends a request to an admin endpoint and decodes the answer.
func (a *api) admin(method, path, body string, into any) int {
	a.t.Helper()
	got := a.send(method, a.URL()+"/_emulator/"+path, body, func(*http.Request) {})
	if into != nil {
		if err := json.Unmarshal([]byte(got.text), into); err != nil {
			a.t.Fatalf("%s %s: %s", method, path, got.text)
		}
	}
	return got.status
}

func TestAdminEndpoints(t *testing.T) {
	a := start(t, hcloud.Options{})
	var network hcloud.Network
	var servers []hcloud.Machine
	a.admin("POST", "networks", `{"name":"cluster"}`, &network)
	a.admin("POST", "servers", `{"count":1,"names":["a"]}`, &servers)
	if len(servers) != 2 || servers[1].Name != "a" || servers[0].Private[0].Network != network.ID {
		t.Fatalf("%+v %+v", servers, network)
	}
	id := fmt.Sprint("servers/", servers[0].ID)
	for _, row := range []struct {
		path string
		want func() bool
	}{
		{id + "/power_off", func() bool { return a.State().Machines[0].Status == "off" }},
		{id + "/power_on", func() bool { return a.State().Machines[0].Status == "running" }},
		{id + "/self", func() bool {
			return a.send("GET", a.MetadataEndpoint()+"/hostname", nil, func(*http.Request) {}).text == "node-0"
		}},
		{id + "/delete", func() bool { return len(a.State().Machines) == 1 }},
	} {
		if status := a.admin("POST", row.path, "", nil); status != 204 || !row.want() {
			t.Errorf("%s: %d, %s", row.path, status, a.State().JSON())
		}
	}
	if status := a.admin("POST", id+"/explode", "", nil); status != 400 {
		t.Errorf("an unknown action: %d", status)
	}
	var metal []map[string]any
	a.admin("POST", "dedicated", `{"count":1}`, &metal)
	if status := a.admin("POST", fmt.Sprintf("dedicated/%d/power_off", a.Robot.Machines()[0].Number), "", nil); status != 204 || a.Robot.Machines()[0].Operating != "shut off" {
		t.Errorf("a dedicated server: %d %v", status, metal)
	}
	var certificate hcloud.Certificate
	a.admin("POST", "certificates", `{"name":"site","domains":["example.com"]}`, &certificate)
	if a.admin("PUT", "tokens/reader?access=read", "", nil); certificate.ID == 0 {
		t.Error("no certificate")
	}
	if all, err := a.client("reader").Certificate.All(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("with a new token: %v %v", all, err)
	}
	a.admin("PUT", "delay", `{"delay":"-1s"}`, nil)
	a.want(201, "POST", "/load_balancers", object{"name": "web", "load_balancer_type": "lb11", "location": "fsn1"})
	if running := a.State().Running; len(running) != 1 {
		t.Errorf("running: %v", running)
	}
	a.admin("POST", "actions/finish", "", nil)
	if status := a.admin("POST", "action-faults", `{"code":"action_failed"}`, nil); status != 204 || len(a.State().Running) != 0 {
		t.Errorf("%d %v", status, a.State().Running)
	}
	var states map[string]hcloud.State
	if a.admin("GET", "state", "", &states); len(states["default"].Balancers) != 1 {
		t.Errorf("%+v", states)
	}
	if status := a.admin("PUT", "quota", `{"hour":1}`, nil); status != 204 {
		t.Errorf("quota: %d", status)
	}
	a.want(200, "GET", "/servers", nil)
	if got := a.want(429, "GET", "/servers", nil); !strings.Contains(got.text, "rate_limit_exceeded") || got.header.Get("RateLimit-Remaining") != "0" {
		t.Errorf("above the quota: %s %v", got.text, got.header)
	}
}

// With a delay an action ends by itself.
func TestAwait(t *testing.T) {
	a := start(t, hcloud.Options{Delay: 10 * time.Millisecond})
	b := a.balancerOf(sdk.LoadBalancerCreateOpts{Name: "web"})
	a.want(201, "POST", path(b, "change_algorithm"), object{"type": "least_connections"})
	if err := a.Await(t.Context(), func(s hcloud.State) bool { return s.Balancer("web").Algorithm.Type == "least_connections" }); err != nil {
		t.Error(err)
	}
}
