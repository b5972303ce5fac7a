package app

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Where a cloud has no load balancers plan and explain say so, and not that the Service does not exist.
func TestServiceOfCloudWithoutBalancers(t *testing.T) {
	seen := &sight{Options: inspect.Options{Cloud: &run.Cloud{Name: "gce"}}}
	_, explained := (&explaining{}).explain(t.Context(), seen, []string{scopeService, "shop/web"})
	_, planned := (&planning{}).service(t.Context(), seen, []string{scopeService, "shop/web"}, nil)
	_, unapplied := (&planning{}).service(t.Context(), seen, []string{scopeService}, &corev1.Service{})
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
			if got := p.nothing(&sight{Options: inspect.Options{Cloud: test.cloud, Enabled: enabled}}, test.what); !strings.Contains(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// A Service without a namespace is one of the namespace default, as with kubectl; one of the same name elsewhere is named.
func TestServiceByName(t *testing.T) {
	service := func(namespace, name string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	}
	seen := &sight{namespace: "default", Options: inspect.Options{
		Cloud:   &run.Cloud{Name: "cloud", Balancers: struct{ cloud.Balancers }{}},
		Cluster: inspect.Cluster{Services: []*corev1.Service{service("default", "web"), service("shop", "web"), service("shop", "cart"), service("beta", "cart")}},
	}}
	for named, want := range map[string]string{
		"web": "default", "shop/web": "shop",
		"cart": "service default/cart does not exist, did you mean beta/cart or shop/cart?", "none": "service default/none does not exist", "shop/crt": "service shop/crt does not exist, did you mean shop/cart?",
		"/web": "want NAMESPACE/NAME", "shop/": "want NAMESPACE/NAME", "a/b/c": "want NAMESPACE/NAME",
	} {
		svc, err := seen.service(named)
		if err == nil && svc.Namespace != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %s", named, svc, err, want)
		}
	}
}

// Without flags adopt says what it needs, with an example.
func TestAdoptWithoutFlags(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	var all []registry.Provider
	for _, name := range []string{"aws", "digitalocean", "sim"} {
		p := registry.Provider{Descriptor: cloud.Descriptor{Name: name}}
		if name != "sim" {
			p.Upstream.Name = name + "-ccm"
		}
		all = append(all, p)
	}
	a, fs := &adopting{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	a.flags(fs)
	err := a.choose(fs, all)
	if err == nil || !strings.Contains(err.Error(), "--from is not set") || !strings.Contains(err.Error(), "one of aws, digitalocean, and") || !strings.Contains(err.Error(), "adopt --from=digitalocean") {
		t.Errorf("error %v", err)
	}
	if err := a.choose(fs, all[:1]); err != nil {
		t.Errorf("with one provider: %v", err)
	}
}
