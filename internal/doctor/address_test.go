package doctor

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// What has no effect, or is not about load balancers, does not keep a Service from its address.
func TestWhatKeepsAServiceFromItsAddress(t *testing.T) {
	for name, test := range map[string]struct {
		told []event.Reason
		want string
	}{
		"nothing":                 {nil, "the load balancer is as it should be"},
		"a field without effect":  {[]event.Reason{event.ConfigurationIgnored}, "the load balancer is as it should be"},
		"a field of others":       {[]event.Reason{event.Unaffected}, "the load balancer is as it should be"},
		"a change beside a field": {[]event.Reason{event.Unaffected, event.ImmutableChange}, event.ImmutableChange.Name + ": why"},
		"nobody to send it to":    {[]event.Reason{event.NoTargets}, event.NoTargets.Name + ": why"},
	} {
		var c forecast
		for _, reason := range test.told {
			c.entry.Warnings = append(c.entry.Warnings, plan.Warning{Reason: reason.Name, Message: "why"})
		}
		if says, _ := c.says(); !strings.HasPrefix(says, test.want) {
			t.Errorf("%s: said %q, want %q first", name, says, test.want)
		}
	}
}
