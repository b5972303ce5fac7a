package dryrun

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// A plan is printed again only after it changed.
func TestPlansArePrintedOnce(t *testing.T) {
	var out strings.Builder
	p := NewPrinter(&out)
	web := plan.Plan{Cloud: "sim", Subject: "Service shop/web", Operations: []cloud.Operation{{Verb: cloud.Create, Kind: cloud.KindBalancer}}}
	other := web
	other.Subject = "Service shop/api"
	for range 3 {
		p.Print(web)
		p.Print(other)
	}
	if n := strings.Count(out.String(), "Plan: 1 to create"); n != 2 {
		t.Errorf("%d plans were printed, want 2:\n%s", n, &out)
	}
	web.Operations = append(web.Operations, cloud.Operation{Verb: cloud.Create, Kind: cloud.KindTarget, Key: "7"})
	p.Print(web)
	if !strings.HasSuffix(out.String(), "Plan: 2 to create, 0 to update, 0 to delete.\n") {
		t.Errorf("the changed plan is missing:\n%s", &out)
	}
}

// Each route is a plan of its own, of the same subject. One that was not there in a whole round is
// printed when it is there again.
func TestPlansOfOneSubject(t *testing.T) {
	var out strings.Builder
	p := NewPrinter(&out)
	look := func(networks ...string) (printed int) {
		out.Reset()
		p.Round("routes")
		for _, network := range networks {
			p.Print(plan.Plan{Cloud: "sim", Subject: "routes", Operations: []cloud.Operation{{Verb: cloud.Create, Kind: cloud.KindRoute, Key: network}}})
		}
		return strings.Count(out.String(), "Plan: 1 to create")
	}
	a, b := "10.244.1.0/24", "10.244.2.0/24"
	for n, step := range []struct {
		networks []string
		want     int
	}{{[]string{a, b}, 2}, {[]string{b, a}, 0}, {[]string{a}, 0}, {[]string{a, b}, 1}, {nil, 0}, {nil, 0}, {[]string{a, b}, 2}} {
		if got := look(step.networks...); got != step.want {
			t.Errorf("look %d at %v: %d plans were printed, want %d:\n%s", n, step.networks, got, step.want, &out)
		}
	}
	look()
	look()
	if len(p.printed) > 0 {
		t.Errorf("left: %v", p.printed)
	}
}

// Upstream's words are put right, and arguments that are no text stay what they are.
func TestPlanFilter(t *testing.T) {
	format, args := LogFilter{}.FilterF("Ensuring load balancer for service %s, %d", []any{"default/web", 3})
	if format != "Planning load balancer for service %s, %d" || args[0] != "default/web" || args[1] != 3 {
		t.Errorf("%q %v", format, args)
	}
	given := []any{"reason", "EnsuredLoadBalancer", "message", "Ensured load balancer"}
	message, values := LogFilter{}.FilterS("Event occurred", given)
	if message != "Event occurred" || values[1] != "PlannedLoadBalancer" || values[3] != "Planned load balancer, and changed nothing" || given[3] != "Ensured load balancer" {
		t.Errorf("%q %v", message, values)
	}
	if all := (LogFilter{}).Filter([]any{"Initializing node x"}); all[0] != "Planning node x" {
		t.Errorf("%v", all)
	}
}
