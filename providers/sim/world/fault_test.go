package world_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/fault"
)

// serve starts a world and returns a client for it.
func serve(t *testing.T, w *world.World) *api.Client {
	t.Helper()
	server, err := w.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
	})
	return &api.Client{
		Endpoint: server.URL, UserAgent: "test", HTTP: &http.Client{Transport: transport},
		Token: func() (string, error) { return "", nil },
	}
}

func TestEffects(t *testing.T) {
	list := func(c *api.Client) error {
		_, err := c.Machines(context.Background(), "")
		return err
	}
	refused := func(status int, after time.Duration) func(error) bool {
		return func(err error) bool {
			failure, ok := errors.AsType[*api.Failure](err)
			return ok && failure.Status == status && failure.RetryAfter == after
		}
	}
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	for name, test := range map[string]struct {
		fault fault.Fault
		want  func(error) bool
	}{
		"error":       {fault.Fault{Effect: fault.EffectError, Status: 500}, refused(500, 0)},
		"retry after": {fault.Fault{Effect: fault.EffectError, Status: 429, RetryAfterSeconds: 9}, refused(429, 9*time.Second)},
		"body":        {fault.Fault{Effect: fault.EffectError, Status: 502, Body: "<html>"}, refused(502, 0)},
		"nonsense": {fault.Fault{Effect: fault.EffectNonsense}, func(err error) bool {
			_, ok := errors.AsType[*json.SyntaxError](err)
			return ok
		}},
		"blank":     {fault.Fault{Effect: fault.EffectBlank}, is(api.ErrNonsense)},
		"lost":      {fault.Fault{Effect: fault.EffectLost}, is(io.EOF)},
		"truncated": {fault.Fault{Effect: fault.EffectTruncated}, is(io.ErrUnexpectedEOF)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, world.Options{}, 1)
			client := serve(t, w)
			if _, err := w.AddFault(test.fault); err != nil {
				t.Fatal(err)
			}
			if err := list(client); err == nil || !test.want(err) {
				t.Errorf("error = %#v", err)
			}
			w.ClearFaults()
			if err := list(client); err != nil {
				t.Errorf("after clearing: %v", err)
			}
		})
	}
}

func TestListEffects(t *testing.T) {
	for effect, want := range map[fault.Effect]struct {
		machines, zones int
		account         string
	}{
		"":                       {4, 0, "sim-account"},
		fault.EffectEmpty:        {0, 0, "sim-account"},
		fault.EffectShort:        {2, 0, "sim-account"},
		fault.EffectIncomplete:   {3, 1, "sim-account"},
		fault.EffectWrongAccount: {0, 0, "another-account"},
	} {
		t.Run(string(effect), func(t *testing.T) {
			w := newWorld(t, world.Options{}, 1)
			for range 3 {
				if _, err := w.AddMachine(api.Machine{Name: "x", Zone: "sim-1b"}); err != nil {
					t.Fatal(err)
				}
			}
			client := serve(t, w)
			if effect != "" {
				if _, err := w.AddFault(fault.Fault{Effect: effect}); err != nil {
					t.Fatal(err)
				}
			}
			list, err := client.Machines(t.Context(), "")
			if err != nil || len(list.Machines) != want.machines || len(list.UnavailableZones) != want.zones || list.Next != "" {
				t.Errorf("list = %+v, %v; want %+v", list, err, want)
			}
			account, err := client.Account(t.Context())
			if err != nil || account.ID != want.account {
				t.Errorf("account = %+v, %v; want %s", account, err, want.account)
			}
			_, err = client.Machine(t.Context(), "m-1")
			if absent := err != nil; absent != (effect == fault.EffectWrongAccount) {
				t.Errorf("reading a machine: %v", err)
			}
		})
	}
}

func TestFaultSelection(t *testing.T) {
	w := newWorld(t, world.Options{}, 1)
	for _, wrong := range []fault.Fault{
		{Operation: "listMachines", Effect: fault.EffectError, Status: 500, Skip: 1, Times: 2},
		{Operation: "writes", Effect: fault.EffectError, Status: 503, Times: 1},
		{Operation: "reads", Effect: fault.EffectError, Status: 401, Skip: 4, Times: 1},
	} {
		if _, err := w.AddFault(wrong); err != nil {
			t.Fatal(err)
		}
	}
	for i, step := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/v1/machines", 200}, // skipped; reads 1
		{"GET", "/v1/account", 200},  // reads 2
		{"GET", "/v1/machines", 500},
		{"GET", "/v1/machines", 500},
		{"GET", "/v1/machines", 200}, // used up; reads 3
		{"DELETE", "/v1/routes/route-9", 503},
		{"DELETE", "/v1/routes/route-9", 404},
		{"GET", "/v1/networks", 200},     // reads 4
		{"GET", "/v1/machines/m-1", 401}, // reads 5
		{"GET", "/v1/machines/m-1", 200},
		{"GET", "/v1/faults", 200},
	} {
		if answer := call(w, step.method, step.path, ""); answer.Code != step.want {
			t.Errorf("step %d, %s %s: %d, want %d", i, step.method, step.path, answer.Code, step.want)
		}
	}
	var hits []int
	for _, wrong := range w.State().Faults {
		hits = append(hits, wrong.Hit)
	}
	if len(hits) != 3 || hits[0] != 2 || hits[1] != 1 || hits[2] != 1 {
		t.Errorf("hits = %v, want 2, 1, 1", hits)
	}
}

// A change whose answer is lost has taken place.
func TestLostAnswer(t *testing.T) {
	w := newWorld(t, world.Options{}, 1)
	client := serve(t, w)
	if _, err := w.AddFault(fault.Fault{Operation: "createBalancer", Effect: fault.EffectLost}); err != nil {
		t.Fatal(err)
	}
	var spec api.BalancerSpec
	if err := json.NewDecoder(strings.NewReader(validBalancer)).Decode(&spec); err != nil {
		t.Fatal(err)
	}
	if _, err := client.SaveBalancer(t.Context(), "", spec); err == nil {
		t.Error("no error")
	}
	if got := len(w.Balancers()); got != 1 {
		t.Errorf("%d balancers, want 1", got)
	}
}

// A hung call goes on when its fault is removed, and ends when its client leaves.
func TestHang(t *testing.T) {
	w := newWorld(t, world.Options{}, 1)
	client := serve(t, w)
	hang, err := w.AddFault(fault.Fault{Effect: fault.EffectHang})
	if err != nil {
		t.Fatal(err)
	}
	begin := func(ctx context.Context, calls int) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := client.Account(ctx)
			done <- err
		}()
		for w.State().Faults[0].Hit < calls {
			runtime.Gosched() // until the call hangs
		}
		return done
	}
	ctx, leave := context.WithCancel(t.Context())
	left := begin(ctx, 1)
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("hung call: %v, want that its client left", err)
	}
	done := begin(t.Context(), 2)
	if answer := call(w, "DELETE", "/v1/faults/"+hang.ID, ""); answer.Code != http.StatusNoContent {
		t.Errorf("removing the fault: %d", answer.Code)
	}
	if err := <-done; err != nil {
		t.Errorf("after the fault is gone: %v", err)
	}
	if answer := call(w, "DELETE", "/v1/faults/"+hang.ID, ""); answer.Code != http.StatusNotFound {
		t.Errorf("removing it again: %d, want 404", answer.Code)
	}
}
