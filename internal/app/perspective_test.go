package app

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
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

// A part that is named and not looked at is no success: it is said why.
func TestNothingToPlan(t *testing.T) {
	routed := &run.Cloud{Name: "cloud", Routes: struct{ cloud.Routes }{}}
	for name, test := range map[string]struct {
		args  []string
		cloud *run.Cloud
		what  string
		want  string
	}{
		"no pod networks":  {nil, routed, scopeRoutes, "--cluster-cidr is not set"},
		"no routes":        {nil, &run.Cloud{Name: "cloud"}, scopeRoutes, "cloud cloud has no routes"},
		"routes are off":   {[]string{"--configure-cloud-routes=false"}, routed, scopeRoutes, "--configure-cloud-routes=false makes none"},
		"no controller":    {[]string{"--controllers=*,-route"}, routed, scopeRoutes, "--controllers=*,-route runs no controller"},
		"no firewall":      {nil, routed, scopeFirewall, "asks for none"},
		"no controllers":   {[]string{"--controllers=tagging"}, routed, scopeAll, "--controllers=tagging runs no controller"},
		"Nodes left alone": {[]string{"--controllers=service"}, routed, scopeNodes, "--controllers=service runs no controller"},
	} {
		t.Run(name, func(t *testing.T) {
			p, fs := &planning{}, pflag.NewFlagSet("", pflag.ContinueOnError)
			p.flags(fs)
			if err := fs.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			enabled, err := controller.Enabled(p.controllers)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.nothing(&sight{inspect.Options{Cloud: test.cloud, Enabled: enabled}}, test.what); !strings.Contains(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
