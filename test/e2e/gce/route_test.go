package gce_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// How many Nodes join at once, and how long an operation takes.
const (
	routed = 40
	takes  = 3 * time.Second
)

// Each part goes on where the one before ended.
func TestRoutes(t *testing.T) {
	s := open(t, emulator.Options{Delay: takes}, "network-name = default\n")
	s.flags = append([]string{"--cluster-cidr=10.244.0.0/16", "--route-reconciliation-period=1s"}, quick...)
	s.start()
	for _, part := range []struct {
		name string
		run  func(*testing.T, *site)
	}{
		{"every Node gets a route, and their operations are followed together", followed},
		{"a quota that an operation fails for is said once, and nothing is asked before a route goes", late},
		{"the route of a Node that goes is deleted, and nobody else's", routeGone},
	} {
		if !t.Run(part.name, func(t *testing.T) {
			s.t = t
			part.run(t, s)
		}) {
			break
		}
	}
	s.t = t
}

// routedNode is the nth Node.
func routedNode(n int) controlplane.NodeOptions {
	return controlplane.NodeOptions{Name: fmt.Sprintf("node-%d", n), Ready: true, PodCIDRs: []string{fmt.Sprintf("10.244.%d.0/24", n)}}
}

// routes are those that were made, by destination.
func (s *site) routes() map[string]map[string]any {
	routes := map[string]map[string]any{}
	for _, object := range s.cloud.State().Objects {
		if object["kind"] == "compute#route" && object["nextHopInstance"] != nil {
			routes[object["destRange"].(string)] = object
		}
	}
	return routes
}

// reached is met by a Node whose route is there.
func reached(node *corev1.Node) error {
	if node == nil {
		return errors.New("there is no such node")
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeNetworkUnavailable && c.Status == corev1.ConditionFalse && c.Reason == "RouteCreated" {
			return nil
		}
	}
	return fmt.Errorf("node %s has no route: %v", node.Name, node.Status.Conditions)
}

// Operations that were followed one by one would be asked for more often than once in each round.
func followed(t *testing.T, s *site) {
	s.cloud.SeedInstances(routed, func(m *emulator.Instance) { m.Forward = true })
	var nodes []controlplane.NodeOptions
	for n := range routed {
		nodes = append(nodes, routedNode(n))
	}
	s.join(nodes...)
	for n := range routed {
		s.node(nodes[n].Name, reached)
	}
	var polls []time.Time
	most, passes, made := 0, 0, 0
	for _, r := range s.cloud.Requests() {
		switch {
		case strings.Contains(r.Path, "/global/operations"):
			polls = append(polls, r.Start)
			most = max(most, 1+strings.Count(r.Path, "%7C"))
		case r.Method == "POST" && strings.Contains(r.Path, "/global/routes"):
			made++
		case strings.Contains(r.Path, "/global/routes"):
			passes++
		}
		// A creation that is sent again finds its route.
		if r.Status >= 400 && (r.Method != "POST" || r.Status != http.StatusConflict) {
			t.Errorf("%s %s was answered %d", r.Method, r.Path, r.Status)
		}
	}
	const round = 500 * time.Millisecond
	for n := 2; n < len(polls); n++ {
		if within := polls[n].Sub(polls[n-2]); within < round {
			t.Errorf("three requests for operations within %v, want two in %v at the most", within, round)
		}
	}
	if made < routed || most < 4 {
		t.Errorf("%d routes made by %d requests; their operations were asked for by %d requests, for %d at the most", routed, made, len(polls), most)
	}
	s.told("", "FailedToCreateRoute", "") // also where a pass comes before the initialisation
	t.Logf("%d routes: %d requests for operations, for %d at the most; %d lists of routes", made, len(polls), most, passes)
	if routes := s.routes(); len(routes) != routed {
		t.Errorf("%d routes", len(routes))
	}
}

// late is a quota that shows when the operation ends. It is said once, and nothing is asked before a route goes.
func late(t *testing.T, s *site) {
	s.cloud.Operations.Fail(emulator.OperationFault{Method: "routes.insert", Code: "QUOTA_EXCEEDED", Message: "Quota 'ROUTES' exceeded.", Status: 403, Times: 1})
	s.cloud.SeedInstances(1)
	s.cloud.ResetTraffic()
	node := routedNode(routed)
	s.join(node)
	s.told(node.Name, "RouteLimitReached", "QUOTA_EXCEEDED")
	made := s.insertions()
	s.passes(3)
	if again := s.insertions(); made != 1 || again != 0 {
		t.Errorf("%d creations, and %d while there is no room; want the one that failed", made, again)
	}
	last := routedNode(routed - 1).Name
	s.must(s.cloud.Remove(machine("us-central1-a", last)))
	s.must(s.SetReady(s.within(patience), last, false, "NodeStatusUnknown"))
	s.node(node.Name, reached)
	if made, routes := s.insertions(), s.routes(); made != 1 || len(routes) != routed {
		t.Errorf("%d creations when there is room, want 1; %d routes", made, len(routes))
	}
	s.told(node.Name, "FailedToCreateRoute", "")
}

// insertions are how often a route was asked for.
func (s *site) insertions() (made int) {
	for _, r := range s.cloud.Requests() {
		if r.Method == "POST" && strings.Contains(r.Path, "/global/routes") {
			made++
		}
	}
	return made
}

// told waits until an event says something of a Node, of any where it is "", once; "" that there is none with that reason.
func (s *site) told(node, reason, text string) {
	s.t.Helper()
	s.must(controlplane.Eventually(s.within(patience), func(ctx context.Context) error {
		selector := "reason=" + reason
		if node != "" {
			selector += ",involvedObject.name=" + node
		}
		events, err := s.Client().CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: selector})
		if err != nil {
			return err
		}
		said := 0
		for _, e := range events.Items {
			if text != "" && !strings.Contains(e.Message, text) {
				return fmt.Errorf("%s says %q", reason, e.Message)
			}
			said++
		}
		if want := min(len(text), 1); said != want {
			return fmt.Errorf("%d events %s, want %d", said, reason, want)
		}
		return nil
	}))
}

// passes waits for that many whole passes of the route controller.
func (s *site) passes(wanted int) {
	s.t.Helper()
	s.cloud.ResetTraffic()
	s.must(s.cloud.Until(s.within(patience), func() bool {
		lists := 0
		for _, r := range s.cloud.Requests() {
			if r.Method == "GET" && strings.Contains(r.Path, "/global/routes") {
				lists++
			}
		}
		return lists > wanted // the first one may have begun before
	}))
}

func routeGone(t *testing.T, s *site) {
	foreign := "projects/" + project + "/global/routes/" + s.routes()["10.244.1.0/24"]["name"].(string)
	s.must(s.cloud.Edit(foreign, map[string]any{"description": "mine"}))
	for n := range 2 {
		node := routedNode(n)
		s.must(s.cloud.Remove(machine("us-central1-a", node.Name)))
		s.must(s.SetReady(s.within(patience), node.Name, false, "NodeStatusUnknown"))
		s.node(node.Name, gone)
	}
	s.must(s.cloud.Until(s.within(patience), func() bool { return s.routes()["10.244.0.0/24"] == nil }))
	s.passes(3)
	s.node("node-2", reached)
	if routes := s.routes(); routes["10.244.1.0/24"] == nil || len(routes) != routed-1 {
		t.Errorf("%d routes; the one that is not the cluster's: %v", len(routes), routes["10.244.1.0/24"])
	}
}
