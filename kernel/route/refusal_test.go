package route

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// refusing is a cloud that refuses routes, and counts how often it is asked.
type refusing struct {
	fakeCloud
	class cloud.Class
	// goesOn says that it refuses after its answer.
	goesOn bool
	asked  int
}

func (r *refusing) CreateRoute(context.Context, cloud.Owner, cloud.Route) error {
	r.asked++
	switch {
	case r.class == "":
		return nil
	case r.goesOn:
		return &cloud.Running{Operations: []string{"op"}}
	}
	return r.refusal()
}

func (r *refusing) refusal() error {
	return &cloud.Error{Failure: cloud.Failure{Class: r.class}, Op: "creating route", Err: errors.New("no")}
}

func (r *refusing) OperationStates(_ context.Context, ids []string) (map[string]cloud.OperationState, error) {
	states := map[string]cloud.OperationState{}
	for _, id := range ids {
		states[id] = cloud.OperationState{Err: r.refusal()}
	}
	return states, nil
}

// refused has two Nodes of both families.
func refused(class cloud.Class, goesOn bool) (*Manager, *refusing, *fixture, *notes) {
	f, events, r := newFixture(run.Live), &notes{}, &refusing{class: class, goesOn: goesOn}
	c := &run.Cloud{Name: "c", Routes: r, Operations: r}
	f.options.Cloud, f.options.Events, f.options.Executor = c, events, run.NewExecutor(c, run.Live, nil, nil)
	for n := 1; n <= 2; n++ {
		f.nodes = append(f.nodes, node(fmt.Sprint(n), fmt.Sprint(n), fmt.Sprintf("10.0.%d.0/24", n), fmt.Sprintf("fd00:%d::/64", n)))
	}
	return New(f.options), r, f, events
}

func v4(n int) netip.Prefix { return netip.MustParsePrefix(fmt.Sprintf("10.0.%d.0/24", n)) }

func v6(n int) netip.Prefix { return netip.MustParsePrefix(fmt.Sprintf("fd00:%d::/64", n)) }

// passes tries a route every ten seconds.
func passes(t *testing.T, m *Manager, node string, to netip.Prefix, during time.Duration) {
	t.Helper()
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(10 * time.Second) {
		if _, err := m.List(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = m.Create(t.Context(), node, to)
	}
}

// often is how often a failed creation is at least made again in ten minutes.
const often = 50

// A route that the cloud refuses is asked for again as often as its class says, and its Node hears of it.
func TestRefusedRouteIsNotAskedForAgain(t *testing.T) {
	for class, want := range map[cloud.Class]struct {
		inTenMinutes, inTwoHours int
		event                    string
	}{
		cloud.FailureInvalid:      {1, 4, "RouteRefused: no route to 10.0.1.0/24 was made"},
		cloud.FailureQuota:        {1, 4, "RouteLimitReached: no route to 10.0.1.0/24 was made"},
		cloud.FailureUnauthorized: {4, 26, "RouteRefused"}, // after 1, 2, 4 minutes, then five each
		cloud.FailureConflict:     {often, often, ""},
		cloud.FailureTransient:    {often, often, ""},
		cloud.FailureNotFound:     {often, often, ""},
	} {
		for _, goesOn := range []bool{false, true} {
			t.Run(fmt.Sprint(class, goesOn), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m, r, _, events := refused(class, goesOn)
					passes(t, m, "1", v4(1), 10*time.Minute)
					if r.asked != want.inTenMinutes && (want.event != "" || r.asked < often) {
						t.Errorf("asked %d times in ten minutes, want %d", r.asked, want.inTenMinutes)
					}
					if got := strings.Join(*events, "\n"); !strings.Contains(got, want.event) || want.event == "" && got != "" {
						t.Errorf("events %q, want %q", got, want.event)
					}
					passes(t, m, "1", v4(1), 110*time.Minute)
					if r.asked != want.inTwoHours && (want.event != "" || r.asked < 10*often) {
						t.Errorf("asked %d times in two hours, want %d", r.asked, want.inTwoHours)
					}
				})
			})
		}
	}
}

// A refused route is asked for at once when something changes that may matter.
func TestRefusedRouteAfterAChange(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *Manager, *fixture, *refusing){
		"another address": func(_ *testing.T, _ *Manager, f *fixture, _ *refusing) {
			changed := f.nodes[0].DeepCopy()
			changed.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.9.0.7"}}
			f.nodes[0] = changed
		},
		"another machine":    func(_ *testing.T, _ *Manager, f *fixture, _ *refusing) { f.nodes[0] = node("1", "7", "10.0.1.0/24") },
		"a route is deleted": func(t *testing.T, m *Manager, _ *fixture, _ *refusing) { deleteRoute(t, m) },
		"a route is gone":    func(_ *testing.T, _ *Manager, _ *fixture, r *refusing) { r.routes = nil },
	} {
		for _, class := range []cloud.Class{cloud.FailureInvalid, cloud.FailureQuota} {
			if class == cloud.FailureQuota && strings.HasPrefix(name, "another") {
				continue // there is no more room for that
			}
			synctest.Test(t, func(t *testing.T) {
				m, r, f, _ := refused(class, false)
				r.routes = []cloud.Route{route("r2", "10.0.2.0/24", "2")}
				passes(t, m, "1", v4(1), time.Minute)
				change(t, m, f, r)
				passes(t, m, "1", v4(1), time.Minute)
				if r.asked != 2 {
					t.Errorf("%s, %s: asked %d times, want 2", name, class, r.asked)
				}
			})
		}
	}
}

func deleteRoute(t *testing.T, m *Manager) {
	t.Helper()
	if err := m.Delete(t.Context(), Route{Name: "r2", Destination: v4(2)}); err != nil {
		t.Error(err)
	}
}

// A route that is there in a part is completed, and where that is refused not asked for again either.
func TestPartOfARouteThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, r, _, _ := refused(cloud.FailureQuota, false)
		_ = m.Create(t.Context(), "2", v4(2)) // there is no room
		partial := route("r1", "10.0.1.0/24", "1")
		partial.Partial = true
		r.routes = []cloud.Route{partial}
		passes(t, m, "1", v4(1), 10*time.Minute)
		if r.asked != 2 {
			t.Errorf("asked %d times, want once for each route", r.asked)
		}
	})
}

// Where there is no room for one route there is none for others of its family either: one asks, after each pause.
func TestQuotaOfOneIsThatOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, r, _, events := refused(cloud.FailureQuota, false)
		try := func(want int) {
			t.Helper()
			for range 3 {
				_, _ = m.Create(t.Context(), "1", v4(1)), m.Create(t.Context(), "2", v4(2))
			}
			if r.asked != want {
				t.Errorf("asked %d times, want %d", r.asked, want)
			}
		}
		try(1)
		if got := strings.Join(*events, "\n"); !strings.Contains(got, "1 RouteLimitReached") || !strings.Contains(got, "2 RouteLimitReached: no route to 10.0.2.0/24") {
			t.Errorf("events: %q", got)
		}
		if _ = m.Create(t.Context(), "1", v6(1)); r.asked != 2 {
			t.Errorf("the other family has a limit of its own: asked %d times", r.asked)
		}
		time.Sleep(longPause + time.Second)
		try(3)
		r.class = ""
		time.Sleep(longPause + time.Second)
		if err := errors.Join(m.Create(t.Context(), "1", v4(1)), m.Create(t.Context(), "2", v4(2))); err != nil {
			t.Errorf("there is room again: %v", err)
		}
	})
}
