package app

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Where a cloud has no load balancers plan and explain say so, and not that the Service does not exist.
func TestServiceOfCloudWithoutBalancers(t *testing.T) {
	seen := &sight{inspect.Options{Cloud: &run.Cloud{Name: "gce"}}}
	_, explained := (&explaining{}).explain(t.Context(), seen, []string{scopeService, "shop/web"})
	_, planned := (&planning{}).service(t.Context(), seen, []string{scopeService, "shop/web"})
	_, unapplied := (&planning{file: "missing.yaml"}).service(t.Context(), seen, []string{scopeService})
	for name, err := range map[string]error{"explain": explained, "plan": planned, "plan -f": unapplied} {
		if err == nil || !strings.Contains(err.Error(), "cloud gce has no load balancers") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
