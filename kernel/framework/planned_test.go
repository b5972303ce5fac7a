package framework

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// A plan is printed again only after it changed.
func TestPlansArePrintedOnce(t *testing.T) {
	var out strings.Builder
	p := newPlanPrinter(&out)
	web := plan.Plan{Cloud: "sim", Subject: "Service shop/web", Operations: []cloud.Operation{{Verb: cloud.Create, Kind: cloud.KindBalancer}}}
	other := web
	other.Subject = "Service shop/api"
	for range 3 {
		p.print(web)
		p.print(other)
	}
	if n := strings.Count(out.String(), "Plan: 1 to create"); n != 2 {
		t.Errorf("%d plans were printed, want 2:\n%s", n, &out)
	}
	web.Operations = append(web.Operations, cloud.Operation{Verb: cloud.Create, Kind: cloud.KindTarget, Key: "7"})
	p.print(web)
	if !strings.HasSuffix(out.String(), "Plan: 2 to create, 0 to update, 0 to delete.\n") {
		t.Errorf("the changed plan is missing:\n%s", &out)
	}
}

// Upstream's words are put right, and arguments that are no text stay what they are.
func TestPlanFilter(t *testing.T) {
	format, args := planFilter{}.FilterF("Ensuring load balancer for service %s, %d", []any{"default/web", 3})
	if format != "Planning load balancer for service %s, %d" || args[0] != "default/web" || args[1] != 3 {
		t.Errorf("%q %v", format, args)
	}
	given := []any{"reason", "EnsuredLoadBalancer", "message", "Ensured load balancer"}
	message, values := planFilter{}.FilterS("Event occurred", given)
	if message != "Event occurred" || values[1] != "PlannedLoadBalancer" || values[3] != "Planned load balancer, and changed nothing" || given[3] != "Ensured load balancer" {
		t.Errorf("%q %v", message, values)
	}
	if all := (planFilter{}).Filter([]any{"Initializing node x"}); all[0] != "Planning node x" {
		t.Errorf("%v", all)
	}
}
