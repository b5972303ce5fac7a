package digitalocean_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
)

func TestHaltBeforeTheRequestIsApplied(t *testing.T) {
	a := start(t, digitalocean.Options{})
	fired := make(chan halt.Event, 1)
	a.HaltAt(halt.Trigger{N: 2, Mutating: true, Phase: halt.Before, Action: halt.Drop, Fired: func(e halt.Event) { fired <- e }})
	a.create(regional("first"))
	a.want(http.StatusOK, "GET", "/v2/load_balancers", nil)
	if got := a.try(t.Context(), "POST", "/v2/load_balancers", regional("second")); got.err == nil {
		t.Errorf("answered %d", got.status)
	}
	want := halt.Event{N: 3, Mutation: 2, Phase: halt.Before, Method: "POST", Path: "/v2/load_balancers"}
	if got := <-fired; got != want || *a.HaltedAt() != want {
		t.Errorf("fired at %+v, want %+v", got, want)
	}
	if a.State().Balancer("second") != nil {
		t.Error("the request was applied")
	}
	a.create(regional("third"))
}

func TestHaltAfterTheRequestIsApplied(t *testing.T) {
	a := start(t, digitalocean.Options{})
	ctx, kill := context.WithCancel(t.Context())
	a.HaltAt(halt.Trigger{N: 1, Phase: halt.After, Action: halt.Hang, Freeze: true, Fired: func(halt.Event) { kill() }})
	if got := a.try(ctx, "POST", "/v2/load_balancers", regional("a")); got.err == nil {
		t.Errorf("answered %d", got.status)
	}
	if got := a.try(t.Context(), "POST", "/v2/load_balancers", regional("b")); got.err == nil {
		t.Errorf("answered %d though frozen", got.status)
	}
	if s := a.State(); s.Balancer("a") == nil || s.Balancer("b") != nil {
		t.Errorf("balancers %+v", s.Balancers)
	}
	a.Disarm()
	a.create(regional("b"))
}

// TestDisarmLetsGo: a caller without a time-out is let go by Disarm.
func TestDisarmLetsGo(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.Arm(func(halt.Event) halt.Action { return halt.Hang })
	done := make(chan answer)
	go func() { done <- a.try(t.Context(), "GET", "/v2/account", nil) }()
	if err := a.Until(t.Context(), func() bool { return a.Counters().Of("GET /v2/account") == 1 }); err != nil {
		t.Fatal(err)
	}
	a.Disarm()
	if got := <-done; got.err == nil {
		t.Errorf("answered %d", got.status)
	}
}

func TestHaltOverHTTP(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.want(http.StatusBadRequest, "PUT", "/_emulator/halt", object{"n": 0})
	a.want(http.StatusNoContent, "PUT", "/_emulator/halt", object{"n": 1, "phase": "before", "action": "drop", "freeze": true})
	if got := a.want(http.StatusOK, "GET", "/_emulator/halt", nil); got.body["fired"] != nil {
		t.Errorf("fired early: %v", got.body)
	}
	if got := a.try(t.Context(), "GET", "/v2/account", nil); got.err == nil {
		t.Errorf("answered %d", got.status)
	}
	if got := a.want(http.StatusOK, "GET", "/_emulator/halt", nil).object("fired"); got["path"] != "/v2/account" {
		t.Errorf("fired %v", got)
	}
	a.want(http.StatusNoContent, "DELETE", "/_emulator/halt", nil)
	a.want(http.StatusOK, "GET", "/v2/account", nil)
}
