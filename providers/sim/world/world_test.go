package world_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/state"
)

// validBalancer is a body that is accepted in a world with one machine.
const validBalancer = `{"name":"web","listeners":[{"protocol":"tcp","port":80,"node_port":30080}],
	"health_check":{"protocol":"http","port":10256,"path":"/healthz"},"targets":["m-1"]}`

// call sends one request without a network, so that it also works with synthetic time.
func call(w http.Handler, method, path, body string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader(body)))
	return recorder
}

func decode[T any](t *testing.T, r *httptest.ResponseRecorder) T {
	t.Helper()
	var value T
	decoder := json.NewDecoder(bytes.NewReader(r.Body.Bytes()))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%d %s: %v", r.Code, r.Body, err)
	}
	return value
}

// newWorld returns a world with machines node-1, node-2, ….
func newWorld(t *testing.T, o world.Options, machines int) *world.World {
	t.Helper()
	w := world.New(o)
	t.Cleanup(w.Close)
	for i := range machines {
		if _, err := w.AddMachine(api.Machine{Name: fmt.Sprintf("node-%d", i+1)}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// replace returns the valid balancer with one piece of it replaced.
func replace(old, replacement string) string {
	if !strings.Contains(validBalancer, old) {
		panic("not in the valid balancer: " + old)
	}
	return strings.Replace(validBalancer, old, replacement, 1)
}

func TestStrictness(t *testing.T) {
	w := newWorld(t, world.Options{}, 1)
	route := func(destination, machine string) string {
		return fmt.Sprintf(`{"destination":%q,"machine":%q}`, destination, machine)
	}
	for name, test := range map[string]struct {
		method, path, body string
		status             int
		want               string // in the message
	}{
		"unknown field":         {"POST", "/v1/balancers", replace(`"name"`, `"colour":"red","name"`), 422, "colour"},
		"unknown nested field":  {"POST", "/v1/balancers", replace(`"port":80`, `"prot":80`), 422, "prot"},
		"wrong type":            {"POST", "/v1/balancers", replace(`"port":80`, `"port":"80"`), 422, "string"},
		"no JSON":               {"POST", "/v1/balancers", `name=web`, 422, "body"},
		"empty body":            {"POST", "/v1/balancers", ``, 422, "body"},
		"two values":            {"POST", "/v1/balancers", validBalancer + "{}", 422, "more after"},
		"bad name":              {"POST", "/v1/balancers", replace(`web`, `Web!`), 422, "name"},
		"no listener":           {"POST", "/v1/balancers", replace(`{"protocol":"tcp","port":80,"node_port":30080}`, ``), 422, "at least one"},
		"bad protocol":          {"POST", "/v1/balancers", replace(`"tcp"`, `"sctp"`), 422, "sctp"},
		"port 0":                {"POST", "/v1/balancers", replace(`"port":80`, `"port":0`), 422, "port 0"},
		"node port too high":    {"POST", "/v1/balancers", replace(`30080`, `65536`), 422, "65536"},
		"the same port twice":   {"POST", "/v1/balancers", replace(`[{`, `[{"protocol":"tcp","port":80,"node_port":1},{`), 422, "twice"},
		"bad health protocol":   {"POST", "/v1/balancers", replace(`"http"`, `"icmp"`), 422, "icmp"},
		"path with tcp":         {"POST", "/v1/balancers", replace(`"http"`, `"tcp"`), 422, "path"},
		"relative path":         {"POST", "/v1/balancers", replace(`/healthz`, `healthz`), 422, "begin with /"},
		"interval too long":     {"POST", "/v1/balancers", replace(`"port":10256`, `"port":10256,"interval_seconds":301`), 422, "301"},
		"timeout over interval": {"POST", "/v1/balancers", replace(`"port":10256`, `"port":10256,"timeout_seconds":11`), 422, "longer"},
		"bad algorithm":         {"POST", "/v1/balancers", replace(`"name"`, `"algorithm":"random","name"`), 422, "random"},
		"bad source":            {"POST", "/v1/balancers", replace(`"name"`, `"allowed_sources":["10.0.0.1"],"name"`), 422, "10.0.0.1"},
		"bad label":             {"POST", "/v1/balancers", replace(`"name"`, `"labels":{"a b":"c"},"name"`), 422, "label"},
		"unknown machine":       {"POST", "/v1/balancers", replace(`m-1`, `m-9`), 422, "m-9"},
		"absent balancer":       {"PUT", "/v1/balancers/lb-9", validBalancer, 404, "lb-9"},
		"absent machine":        {"GET", "/v1/machines/m-9", ``, 404, "m-9"},
		"limit too high":        {"GET", "/v1/machines?limit=101", ``, 422, "limit"},
		"bad after":             {"GET", "/v1/machines?after=x", ``, 422, "after"},
		"bad label filter":      {"GET", "/v1/routes?label=x", ``, 422, "key=value"},
		"host bits":             {"POST", "/v1/routes", route("10.244.0.1/24", "m-1"), 422, "canonical"},
		"route to nowhere":      {"POST", "/v1/routes", route("10.244.0.0/24", "m-9"), 422, "m-9"},
		"no such call":          {"GET", "/v1/volumes", ``, 404, "no GET"},
		"no such method":        {"PATCH", "/v1/balancers/lb-1", ``, 404, "no PATCH"},
		"unknown effect":        {"POST", "/v1/faults", `{"effect":"fire"}`, 422, "fire"},
		"unknown operation":     {"POST", "/v1/faults", `{"effect":"hang","operation":"reboot"}`, 422, "reboot"},
		"error without status":  {"POST", "/v1/faults", `{"effect":"error"}`, 422, "status"},
		"machine id given":      {"POST", "/v1/machines", `{"id":"m-7","name":"x"}`, 422, "id"},
		"machine without name":  {"POST", "/v1/machines", `{}`, 422, "name"},
		"bad power":             {"POST", "/v1/machines", `{"name":"x","power":"on"}`, 422, "power"},
		"bad address kind":      {"POST", "/v1/machines", `{"name":"x","addresses":[{"kind":"x","ip":"::1"}]}`, 422, "kind"},
		"bad duration":          {"PUT", "/v1/settings", `{"latency":30}`, 422, "30ms"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := call(w, test.method, test.path, test.body)
			failure := decode[api.Failure](t, answer)
			if answer.Code != test.status || !strings.Contains(failure.Message, test.want) {
				t.Errorf("%d %+v; want %d with %q in the message", answer.Code, failure, test.status, test.want)
			}
		})
	}
	if state := w.State(); len(state.Balancers)+len(state.Routes)+len(state.Faults) != 0 || len(state.Machines) != 1 {
		t.Errorf("something refused was stored all the same: %+v", state)
	}
}

func TestCanonicalForm(t *testing.T) {
	w := newWorld(t, world.Options{}, 2)
	body := `{"name":"web","listeners":[{"protocol":"udp","port":80,"node_port":2},{"protocol":"tcp","port":80,"node_port":1},{"protocol":"tcp","port":7,"node_port":3}],
		"health_check":{"protocol":"http","port":10256},"targets":["m-2","m-1","m-2"],"allowed_sources":["10.9.8.7/8","::1/0","10.0.0.0/8"]}`
	got := decode[api.Balancer](t, call(w, "POST", "/v1/balancers", body))
	want := api.Balancer{
		ID: "lb-1", Status: api.StatusActive, Addresses: []string{"198.19.0.1"},
		TargetHealth: map[string]string{"m-1": "unknown", "m-2": "unknown"},
		BalancerSpec: api.BalancerSpec{
			Name: "web", Algorithm: "round_robin", Labels: map[string]string{}, Targets: []string{"m-1", "m-2"},
			Listeners:      []api.Listener{{Protocol: "tcp", Port: 7, NodePort: 3}, {Protocol: "tcp", Port: 80, NodePort: 1}, {Protocol: "udp", Port: 80, NodePort: 2}},
			AllowedSources: []string{"10.0.0.0/8", "::/0"},
			HealthCheck:    api.HealthCheck{Protocol: "http", Port: 10256, Path: "/", IntervalSeconds: 10, TimeoutSeconds: 5, HealthyThreshold: 2, UnhealthyThreshold: 3},
		},
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("stored (-want +got):\n%s", difference)
	}
}

func TestConflictsAndImmutableFields(t *testing.T) {
	w := newWorld(t, world.Options{}, 1)
	call(w, "POST", "/v1/balancers", validBalancer)
	call(w, "POST", "/v1/routes", `{"destination":"10.244.0.0/24","machine":"m-1"}`)
	for name, test := range map[string]struct {
		method, path, body string
		status             int
	}{
		"name taken":             {"POST", "/v1/balancers", validBalancer, 409},
		"own name is fine":       {"PUT", "/v1/balancers/lb-1", validBalancer, 200},
		"internal":               {"PUT", "/v1/balancers/lb-1", replace(`"name"`, `"internal":true,"name"`), 422},
		"dual stack":             {"PUT", "/v1/balancers/lb-1", replace(`"name"`, `"dual_stack":true,"name"`), 422},
		"destination taken":      {"POST", "/v1/routes", `{"destination":"10.244.0.0/24","machine":"m-1"}`, 409},
		"other destination":      {"POST", "/v1/routes", `{"destination":"10.244.1.0/24","machine":"m-1"}`, 201},
		"record bad health":      {"PUT", "/v1/balancers/lb-1/health", `{"machine":"m-1","health":"ill"}`, 422},
		"record of a non-target": {"PUT", "/v1/balancers/lb-1/health", `{"machine":"m-2","health":"healthy"}`, 422},
	} {
		if answer := call(w, test.method, test.path, test.body); answer.Code != test.status {
			t.Errorf("%s: %d %s, want %d", name, answer.Code, answer.Body, test.status)
		}
	}
}

func TestLifeCycleTakesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, world.Options{Settings: state.Settings{
			ActivateAfter: state.Duration(10 * time.Second), DeleteAfter: state.Duration(5 * time.Second),
		}}, 1)
		status := func() string {
			t.Helper()
			answer := call(w, "GET", "/v1/balancers/lb-1", "")
			if answer.Code == http.StatusNotFound {
				return "gone"
			}
			return decode[api.Balancer](t, answer).Status
		}
		expect := func(want string) {
			t.Helper()
			if got := status(); got != want {
				t.Errorf("status = %s, want %s", got, want)
			}
		}
		call(w, "POST", "/v1/balancers", validBalancer)
		time.Sleep(10*time.Second - 1)
		expect("pending")
		if answer := call(w, "PUT", "/v1/balancers/lb-1", validBalancer); answer.Code != http.StatusConflict {
			t.Errorf("update while pending = %d, want 409", answer.Code)
		}
		time.Sleep(time.Nanosecond)
		expect("active")
		if answer := call(w, "DELETE", "/v1/balancers/lb-1", ""); answer.Code != http.StatusAccepted {
			t.Errorf("delete = %d, want 202", answer.Code)
		}
		time.Sleep(5*time.Second - 1)
		expect("deleting")
		time.Sleep(time.Nanosecond)
		expect("gone")
	})
}

func TestSettle(t *testing.T) {
	hour := state.Duration(time.Hour)
	w := newWorld(t, world.Options{Settings: state.Settings{ActivateAfter: hour, DeleteAfter: hour}}, 1)
	call(w, "POST", "/v1/balancers", validBalancer)
	call(w, "POST", "/v1/settle", "")
	if b := w.Balancers(); b[0].Status != api.StatusActive {
		t.Errorf("status after settling = %s", b[0].Status)
	}
	call(w, "DELETE", "/v1/balancers/lb-1", "")
	call(w, "POST", "/v1/settle", "")
	if b := w.Balancers(); len(b) != 0 {
		t.Errorf("left after settling: %+v", b)
	}
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, world.Options{}, 1)
		call(w, "PUT", "/v1/settings", `{"latency":"30ms"}`)
		for path, want := range map[string]time.Duration{"/v1/machines": 30 * time.Millisecond, "/v1/state": 0} {
			began := time.Now()
			call(w, "GET", path, "")
			if took := time.Since(began); took != want {
				t.Errorf("GET %s took %s, want %s", path, took, want)
			}
		}
	})
}

func TestPages(t *testing.T) {
	w := newWorld(t, world.Options{PageSize: 3}, 7)
	if err := w.RemoveMachine("m-3"); err != nil { // the end of the first page
		t.Fatal(err)
	}
	var pages [][]string
	for after := ""; ; {
		page := decode[api.MachineList](t, call(w, "GET", "/v1/machines?after="+after, ""))
		var names []string
		for _, m := range page.Machines {
			names = append(names, m.Name)
		}
		pages = append(pages, names)
		if after = page.Next; after == "" {
			break
		}
	}
	want := [][]string{{"node-1", "node-2", "node-4"}, {"node-5", "node-6", "node-7"}}
	if difference := cmp.Diff(want, pages); difference != "" {
		t.Errorf("pages (-want +got):\n%s", difference)
	}
}

func TestQuota(t *testing.T) {
	w := newWorld(t, world.Options{Settings: state.Settings{Quota: state.Quota{Balancers: 1, Targets: 1, Listeners: 1, Routes: 1}}}, 2)
	for name, body := range map[string]string{
		"targets":   replace(`"m-1"`, `"m-1","m-2"`),
		"listeners": replace(`[{`, `[{"protocol":"tcp","port":81,"node_port":1},{`),
	} {
		if answer := call(w, "POST", "/v1/balancers", body); answer.Code != 403 || decode[api.Failure](t, answer).Code != api.CodeQuota {
			t.Errorf("%s: %d %s, want 403 quota_exceeded", name, answer.Code, answer.Body)
		}
	}
	codes := []int{
		call(w, "POST", "/v1/balancers", validBalancer).Code,
		call(w, "POST", "/v1/balancers", replace("web", "web2")).Code,
		call(w, "POST", "/v1/routes", `{"destination":"10.244.0.0/24","machine":"m-1"}`).Code,
		call(w, "POST", "/v1/routes", `{"destination":"10.244.1.0/24","machine":"m-1"}`).Code,
	}
	if difference := cmp.Diff([]int{201, 403, 201, 403}, codes); difference != "" {
		t.Errorf("codes (-want +got):\n%s", difference)
	}
}

func TestSteering(t *testing.T) {
	w := newWorld(t, world.Options{}, 1)
	call(w, "POST", "/v1/balancers", validBalancer)
	call(w, "POST", "/v1/routes", `{"destination":"10.244.0.0/24","machine":"m-1"}`)
	call(w, "PUT", "/v1/balancers/lb-1/health", `{"machine":"m-1","health":"unhealthy"}`)
	if got := w.Balancers()[0].TargetHealth["m-1"]; got != api.HealthUnhealthy {
		t.Errorf("recorded health = %s", got)
	}
	call(w, "POST", "/v1/balancers/lb-1/fail", "")
	if got := w.Balancers()[0].Status; got != api.StatusFailed {
		t.Errorf("status after fail = %s", got)
	}
	call(w, "POST", "/v1/machines/m-1/stop", "")
	if got := w.State().Machines[0].Power; got != api.PowerStopped {
		t.Errorf("power after stop = %s", got)
	}
	call(w, "POST", "/v1/machines/m-1/start", "")
	if got := w.State().Machines[0].Power; got != api.PowerRunning {
		t.Errorf("power after start = %s", got)
	}
	moved := decode[api.Machine](t, call(w, "PUT", "/v1/machines/m-1", `{"name":"node-1","addresses":[{"kind":"private","ip":"10.0.9.9"}]}`))
	if moved.ID != "m-1" || moved.Addresses[0].IP != "10.0.9.9" {
		t.Errorf("edited machine = %+v", moved)
	}
	call(w, "DELETE", "/v1/machines/m-1", "")
	state := decode[world.State](t, call(w, "GET", "/v1/state", ""))
	if len(state.Machines) != 0 || len(state.Balancers[0].Targets) != 0 || !state.Routes[0].Blackhole {
		t.Errorf("after removing the machine: %+v", state)
	}
	if want := (world.Counters{Writes: 2, Operations: map[string]int{"createBalancer": 1, "createRoute": 1}}); cmp.Diff(want, state.Counters) != "" {
		t.Errorf("counters = %+v, want %+v: steering is not counted", state.Counters, want)
	}
	call(w, "DELETE", "/v1/counters", "")
	if got := w.Counters(); got.Writes != 0 || len(got.Operations) != 0 {
		t.Errorf("counters after reset = %+v", got)
	}
}

// Replicas use one world at once; the race detector is the judge.
func TestConcurrentUse(t *testing.T) {
	w := newWorld(t, world.Options{}, 3)
	var replicas sync.WaitGroup
	for i := range 8 {
		replicas.Go(func() {
			for range 20 {
				created := call(w, "POST", "/v1/balancers", replace("web", fmt.Sprintf("web-%d", i)))
				var b api.Balancer
				if err := json.Unmarshal(created.Body.Bytes(), &b); err != nil || created.Code != 201 {
					t.Errorf("creating: %d %v", created.Code, err)
				}
				call(w, "GET", "/v1/balancers?name=web-1", "")
				call(w, "GET", "/v1/machines", "")
				call(w, "GET", "/v1/state", "")
				call(w, "DELETE", "/v1/balancers/"+b.ID, "")
			}
		})
	}
	replicas.Wait()
	if left := w.Balancers(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	if c := w.Counters(); c.Writes != 8*20*2 || c.Reads != 8*20*2 {
		t.Errorf("counters = %+v", c)
	}
}

func FuzzParseMachines(f *testing.F) {
	f.Add("node-1=small@sim-1a@10.0.0.1,node-2")
	f.Add("=,@@@,a=b@c@d@e")
	f.Fuzz(func(t *testing.T, text string) {
		machines, err := world.ParseMachines(text)
		for _, m := range machines {
			if err == nil && m.Name == "" {
				t.Errorf("ParseMachines(%q) has a machine without a name", text)
			}
		}
	})
}
