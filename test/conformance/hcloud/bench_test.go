package hcloud_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
	conformancefault "github.com/multicloud-ccm/multicloud-ccm/test/conformance/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// bench is a Service and its load balancer without the kernel's waits.
type bench struct {
	*testing.T
	server    *emulator.Server
	driver    *cloud.Driver
	balancers cloud.Balancers
	planner   composite.Planner
	input     cloud.Input
}

func newBench(t *testing.T) *bench {
	t.Helper()
	server, _ := start(t, emulator.Options{})
	server.AddCertificate("shop", "shop.example.com")
	b := &bench{T: t, server: server, driver: mustConnect(t, variables(server))}
	b.balancers, b.planner = composite.Balancers(b.driver)
	server.SeedMachines(1)
	list, err := b.driver.Machines.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.input = cloud.Input{
		Spec: cloud.Spec{
			Owner:      cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: uid, Cloud: "hcloud"},
			Ports:      []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}, {Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443}},
			HealthPort: 10256,
		},
		Environment: cloud.Environment{
			Candidates: []cloud.Target{list.Items[0].Target("node-0")},
		},
	}
	return b
}

// change observes, and says what has to be done.
func (b *bench) change() (cloud.Change, error) {
	b.Helper()
	in := b.input
	o, err := b.balancers.Observe(b.Context(), in)
	if err != nil {
		return cloud.Change{}, err
	}
	in.ID, in.Findings = o.ID, o.Findings
	after, _, err := b.balancers.Normalize(in)
	if err == nil && o.Found {
		in.Preserved = map[string]string{}
		for _, op := range difference.Of(o.Balancer, after) {
			if slices.Contains(hcloud.Descriptor().Capabilities.Immutable, op.Field) {
				in.Preserved[op.Field] = op.Before
			}
		}
		after, _, err = b.balancers.Normalize(in)
	}
	after.Targets = []cloud.InstanceID{in.Candidates[0].InstanceID}
	return cloud.Change{Input: in, Before: o, After: &after}, err
}

// ensure brings the load balancer to what annotations say, and returns what the API shows.
func (b *bench) ensure(annotations map[string]string) map[string]string {
	b.Helper()
	shown, err := b.try(annotations)
	if err != nil {
		b.Fatal(err)
	}
	return shown
}

// try is ensure that may fail.
func (b *bench) try(annotations map[string]string) (map[string]string, error) {
	b.Helper()
	values, problems := hcloud.Annotations().Parse(annotations)
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	for key, value := range b.driver.Balancers.Defaults {
		if _, given := values[key]; !given {
			values[key] = value
		}
	}
	b.input.Options = values
	for range 60 {
		change, err := b.change()
		if err != nil {
			return nil, err
		}
		steps, err := b.planner.Steps(b.Context(), change)
		switch {
		case err != nil:
			return nil, err
		case change.Before.Found && len(steps) == 0:
			return b.shown(change.Before), nil
		}
		if _, err = b.balancers.Apply(b.Context(), change); err != nil {
			return nil, err
		}
		b.server.FinishActions()
	}
	return nil, errors.New("it does not end")
}

// remove deletes the load balancer, and checks that nothing is left.
func (b *bench) remove() {
	b.Helper()
	for range 60 {
		o, err := b.balancers.Observe(b.Context(), b.input)
		if err == nil && (o.Found || o.Orphans) {
			_, err = b.balancers.Apply(b.Context(), cloud.Change{Input: b.input, Before: o})
		}
		if err != nil {
			b.Fatal(err)
		}
		b.server.FinishActions()
		if !o.Found && !o.Orphans {
			break
		}
	}
	if left := (control{b.T, b.server}).Leftovers(); len(left) > 0 {
		b.Errorf("left: %v", left)
	}
}

// TestInterruptedAnywhere breaks changes off at each of their requests, before and after that takes effect. The
// next pass ends where an undisturbed one ends, and nothing is left or there twice.
func TestInterruptedAnywhere(t *testing.T) {
	certified := map[string]string{upstream + "protocol": "443=https", upstream + "certificate-type": "managed", upstream + "http-managed-certificate-domains": "example.com"}
	other := maps.Clone(certified)
	other[upstream+"http-managed-certificate-domains"] = "www.example.com"
	named := map[string]string{upstream + "name": "by-hand"}
	for name, change := range map[string]struct{ from, to map[string]string }{
		"a creation with a certificate": {nil, certified},
		"another certificate":           {certified, other},
		"no certificate":                {certified, map[string]string{}},
		"private targets":               {map[string]string{}, map[string]string{upstream + "use-private-ip": "true", upstream + "private-ipv4": "10.0.0.200"}},
		"adoption":                      {nil, named},
	} {
		prepared := func(t *testing.T) *bench {
			b := newBench(t)
			if name == "adoption" {
				newLabOn(t, b.server, "other", "00000000-0000-4000-8000-00000000abcd", nil).theirs("by-hand", nil)
			}
			if change.from != nil {
				b.ensure(change.from)
			}
			return b
		}
		want := prepared(t).ensure(change.to)
		for _, f := range []conformance.Fault{{Status: http.StatusServiceUnavailable}, {Lost: true}} {
			through := false
			for after := 0; !through; after++ {
				ran := false // not where -run leaves it out
				t.Run(fmt.Sprintf("%s, %s after %d requests", name, f, after), func(t *testing.T) {
					ran = true
					b := prepared(t)
					b.server.AddFault(conformancefault.After(f, after))
					_, err := b.try(change.to)
					through = err == nil
					b.server.ClearFaults()
					b.server.FinishActions()
					if diff := cmp.Diff(want, b.ensure(change.to)); diff != "" {
						t.Errorf("(-undisturbed +interrupted):\n%s", diff)
					}
					if name != "adoption" {
						b.remove()
					}
				})
				if t.Failed() {
					return
				}
				through = through || !ran
			}
		}
	}
}
