package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// console is a load balancer of a Service as somebody changes it in the cloud's console, and what the program says of it.
type console[B any] struct {
	service string
	edit    func(func(*B)) error
	doctor  func() map[string]result
	// plan is what `plan service` prints.
	plan func() string
	// writes is how many changes were asked for since it was last called.
	writes func() int
	// halted are the checks that fail all the time, because nothing runs.
	halted []string
}

// changing is one change in the console, and a part of what the doctor says of it, at a level: "" is a failure.
type changing[B any] struct {
	name        string
	edit        func(*B)
	says, level string
}

// named makes one change after the other. The doctor names the Service and what differs and changes nothing, plan lists
// the same step, and when it was taken back the doctor says what it said before.
func (c console[B]) named(t *testing.T, changes []changing[B]) {
	untouched := levels(c.doctor())
	for id, level := range untouched {
		if fails := slices.Contains(c.halted, id); fails != (level != ok) {
			t.Fatalf("%s is %q before anything was changed", id, level)
		}
	}
	for _, change := range changes {
		t.Run(change.name, func(t *testing.T) {
			var before B
			if err := c.edit(func(b *B) { before = *b; change.edit(b) }); err != nil {
				t.Fatal(err)
			}
			c.writes()
			c.names(t, untouched, change.level, change.says)
			if n := c.writes(); n > 0 {
				t.Errorf("%d changes were made", n)
			}
			if err := c.edit(func(b *B) { *b = before }); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(untouched, levels(c.doctor())); diff != "" {
				t.Errorf("levels of checks (-before +after):\n%s", diff)
			}
		})
	}
}

func levels(found map[string]result) map[string]string {
	levels := map[string]string{}
	for id, check := range found {
		levels[id] = check.Level
	}
	return levels
}

// names fails the test unless the doctor says so and nothing else that it did not say before, and plan too.
func (c console[B]) names(t *testing.T, untouched map[string]string, level, says string) {
	t.Helper()
	if level == "" {
		level = failure
	}
	found := c.doctor()
	got := found["service-drift"]
	if all := got.String(); got.Level != level || len(got.Evidence) != 1 || !strings.HasPrefix(got.Evidence[0], c.service+": ") || !strings.Contains(all, says) ||
		!strings.Contains(got.Fix, "--service-resync-period") || !strings.Contains(got.Fix, "plan service "+c.service) {
		t.Fatalf("want a %s with %q: %s", level, says, all)
	}
	step, _, _ := strings.Cut(strings.TrimPrefix(got.Evidence[0], c.service+": "), "; ")
	if text := c.plan(); !strings.Contains(text, strings.TrimSuffix(step, "…")) {
		t.Errorf("plan does not list %q:\n%s", step, text)
	}
	for id, r := range found {
		if id != "service-drift" && r.Level != untouched[id] {
			t.Errorf("another cause is named: %s", r)
		}
	}
}

// Somebody changes a load balancer on DigitalOcean by hand. What the doctor says to do repairs it.
func TestDrift(t *testing.T) {
	w := newWorld(t)
	w.service("shop", func(s *corev1.Service) {
		s.Spec.Ports = []corev1.ServicePort{{Name: "http", Port: 80}, {Name: "https", Port: 443}}
		s.Spec.LoadBalancerSourceRanges = []string{"203.0.113.0/24"}
	})
	id := w.served("shop")
	w.mended("the Service was made")
	c := console[digitalocean.Balancer]{
		service: "default/shop", doctor: func() map[string]result { return w.doctor(visit{}) },
		edit: func(edit func(*digitalocean.Balancer)) error { return sky.LoadBalancers.Edit(id, edit) },
		plan: func() string {
			_, out, errOut := w.command(visit{provider: "digitalocean"}, "plan", "service", "default/shop", "--cluster-id=lab")
			return out + errOut
		},
		writes: func() int { defer sky.ResetTraffic(); return sky.Counters().Mutating },
	}
	noRule := func(b *digitalocean.Balancer) { b.ForwardingRules = b.ForwardingRules[:1] }
	c.named(t, []changing[digitalocean.Balancer]{
		{name: "listener deleted", edit: noRule, says: "create listener tcp/443"},
		{name: "target removed", edit: func(b *digitalocean.Balancer) { b.DropletIDs = b.DropletIDs[1:] }, says: fmt.Sprintf("create target %d", w.droplets[0].ID)},
		{name: "health check changed", edit: func(b *digitalocean.Balancer) { b.HealthCheck.Port = 80 }, says: "update balancer health"},
		{name: "source ranges widened", edit: func(b *digitalocean.Balancer) { b.Firewall = digitalocean.BalancerFirewall{} }, says: "203.0.113.0/24"},
		{name: "tag removed", edit: func(b *digitalocean.Balancer) { b.Tags = slices.Clone(b.Tags)[1:] }, says: "ownership tags", level: warning},
		{name: "renamed", edit: func(b *digitalocean.Balancer) { b.Name = "mine" }, says: "name: mine → "},
	})
	w.must(sky.LoadBalancers.Edit(id, noRule))
	got := w.doctor(visit{})["service-drift"]
	if !strings.Contains(got.Fix, "kubectl annotate service shop -n default --overwrite looked-at=") {
		t.Fatalf("it is not said how to repair it at once: %s", got)
	}
	w.annotate("shop", "looked-at", "now")
	w.mended("the annotation of the Service")
	for n := range 30 {
		w.service(fmt.Sprintf("one-of-%d", n), nil)
	}
	for n := range 30 {
		w.served(fmt.Sprintf("one-of-%d", n))
	}
	w.mended("30 Services were made")
	sky.ResetTraffic()
	got = w.doctor(visit{})["service-drift"]
	if traffic := sky.Counters(); got.Level != ok || !strings.HasPrefix(got.Message, "32 load balancers") || traffic.Total > 15 || traffic.Mutating > 0 {
		t.Errorf("%d requests, %d changes: %s", traffic.Total, traffic.Mutating, got)
	}
}

// served waits until a Service has an address, and returns the id of its load balancer.
func (w *world) served(name string) string {
	w.t.Helper()
	svc, err := w.WaitService(w.ctx(), "default", name, func(svc *corev1.Service) error {
		if svc == nil || len(svc.Status.LoadBalancer.Ingress) == 0 {
			return errors.New("no address")
		}
		return nil
	})
	w.must(err)
	return svc.Annotations["kubernetes.digitalocean.com/load-balancer-id"]
}

// Somebody changes a load balancer on Hetzner Cloud by hand, where there are no source ranges.
func TestDriftOnHetzner(t *testing.T) {
	opened, err := testcloud.Open(t.Context(), "hcloud", testcloud.Options{Progress: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	hetzner := opened.(*testcloud.Hetzner)
	var env []string
	for key, value := range hetzner.Env() {
		env = append(env, key+"="+value)
	}
	c := switchover.Open(t, switchover.Options{Provider: "hcloud", Env: env, Secret: hetzner.Secret(), Binary: cluster.Binary()})
	machines, err := hetzner.Seed(t.Context(), 3, testcloud.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range machines {
		o := m.Node()
		o.Ready = true
		if _, err := c.JoinNode(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	c.Apply(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "http", Port: 80}, {Name: "https", Port: 443}}},
	})
	c.Install(machines[0].Name)
	c.Switch("--leader-elect=true")
	look := func() map[string]result {
		answer := c.RunAs(c.AdminKubeconfig(), "doctor", "-o", "json", "--patience=1ms")
		checks, err := switchover.Checks(answer.Stdout)
		if err != nil {
			t.Fatalf("%v: %s", err, answer.Stderr)
		}
		found := map[string]result{}
		for _, check := range checks {
			found[check.ID] = check
		}
		return found
	}
	if err := controlplane.Eventually(limited(t), func(context.Context) error {
		return switchover.InOrder(slices.Collect(maps.Values(look())))
	}); err != nil {
		t.Fatal(err)
	}
	c.Halt() // it looks at what it has changed for some seconds, and would bring back what is changed here
	id := hetzner.State().Balancers[0].ID
	console[hcloud.Balancer]{
		service: "shop/web", doctor: look,
		edit:   func(edit func(*hcloud.Balancer)) error { return hetzner.EditBalancer(id, edit) },
		plan:   func() string { return c.Run("plan", "service", "shop/web").Stdout },
		writes: func() int { defer hetzner.ResetTraffic(); return hetzner.Counters().Mutating },
		halted: []string{"leader-missing"},
	}.named(t, []changing[hcloud.Balancer]{
		{name: "listener deleted", edit: func(b *hcloud.Balancer) { b.Services = b.Services[:1] }, says: "create listener tcp/443"},
		{name: "target removed", edit: func(b *hcloud.Balancer) { b.Targets = b.Targets[1:] }, says: "create target "},
		{name: "health check changed", edit: func(b *hcloud.Balancer) {
			b.Services = slices.Clone(b.Services)
			b.Services[0].HealthCheck.Interval = 42
		}, says: "update listener tcp/80 health"},
		{name: "label removed", edit: func(b *hcloud.Balancer) {
			b.Labels = maps.Clone(b.Labels)
			delete(b.Labels, "multicloud-ccm.io/cluster")
		}, says: "ownership tags", level: warning},
		{name: "renamed", edit: func(b *hcloud.Balancer) { b.Name = "mine" }, says: "name: mine → "},
	})
}
