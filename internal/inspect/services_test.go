package inspect

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// TestAdd: nothing that was found out about a Service is left out of its entry.
func TestAdd(t *testing.T) {
	operations := []cloud.Operation{{Verb: cloud.Update, Kind: cloud.KindListener, Key: "tcp/80"}}
	steps := []cloud.Operation{{Verb: cloud.Create, Kind: "pool", Key: "tcp/80 HTTP"}}
	forecast := loadbalancer.Forecast{Plan: plan.Plan{Operations: operations, Steps: steps}, Warnings: []plan.Warning{{Reason: "TargetSkipped", Message: "no address"}}}
	waits := plan.Warning{Reason: event.WaitingForNodes.Name, Message: "no node"}
	for name, test := range map[string]struct {
		err      error
		warnings []plan.Warning
		failed   bool
	}{
		"done":             {nil, forecast.Warnings, false},
		"failed":           {errors.New("no"), forecast.Warnings, true},
		"waits":            {&loadbalancer.Pending{Reason: "no node"}, append(forecast.Warnings[:1:1], waits), false},
		"waits, as said":   {&loadbalancer.Pending{Reason: "no address"}, forecast.Warnings, false},
		"waits, a failure": {&loadbalancer.Pending{Reason: "busy", Err: errors.New("409")}, forecast.Warnings, true},
	} {
		entry := plan.Entry{Plan: plan.Plan{Cloud: "openstack"}}
		add(&entry, forecast, test.err)
		if got := entry.Error != nil; got != test.failed {
			t.Errorf("%s: failed %t", name, got)
		}
		entry.Error = nil
		want := plan.Entry{Plan: plan.Plan{Cloud: "openstack", Operations: operations, Steps: steps}, Warnings: test.warnings}
		if diff := cmp.Diff(want, entry); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
