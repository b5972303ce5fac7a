package digitalocean_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

const (
	uid        = "8b5a3c1e-0000-4000-8000-123456789abc"
	legacyName = "a8b5a3c1e000040008000123456789ab"
)

// lab is a driver, its cloud and one Service.
type lab struct {
	*testing.T
	server *emulator.Server
	url    string
	driver *cloud.Driver
	input  cloud.Input
}

// newLab starts with n droplets and a Service with the ports 80 and 443. Keys without a
// domain are upstream's.
func newLab(t *testing.T, n int, env, annotations map[string]string) *lab {
	t.Helper()
	server, url := start(t)
	l := &lab{T: t, server: server, url: url, driver: connect(t, url, env)}
	l.input = cloud.Input{Spec: cloud.Spec{
		Owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: uid, Cloud: "digitalocean"},
		Ports: []cloud.Port{
			{Name: "http", Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080},
			{Name: "https", Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443},
		},
		HealthPort: 10256,
	}}
	l.annotate(annotations)
	server.Droplets.Seed(n)
	l.nodes()
	return l
}

func (l *lab) annotate(annotations map[string]string) {
	l.Helper()
	full := map[string]string{}
	for key, value := range annotations {
		if !strings.Contains(key, "/") {
			key = upstream + key
		}
		full[key] = value
	}
	values, problems := digitalocean.Annotations().Parse(full)
	if len(problems) > 0 {
		l.Fatal(problems)
	}
	l.input.Options = values
}

// nodes makes all droplets the candidates.
func (l *lab) nodes() {
	l.Helper()
	list, err := l.driver.Machines.List(l.Context())
	l.must(err)
	l.input.Candidates = nil
	for _, i := range list.Items {
		l.input.Candidates = append(l.input.Candidates, cloud.Target{InstanceID: i.ID, NodeName: i.Name, Addresses: i.Addresses})
	}
}

func (l *lab) balancers() cloud.Balancers { return l.driver.Balancers.Whole }

func (l *lab) observe() cloud.Observed {
	l.Helper()
	o, err := l.balancers().Observe(l.Context(), l.input)
	l.must(err)
	return o
}

// change returns what the kernel would ask for now.
func (l *lab) change() cloud.Change {
	l.Helper()
	before := l.observe()
	in := l.input
	in.Findings = before.Findings
	after, _, err := l.balancers().Normalize(in)
	l.must(err)
	for _, candidate := range in.Candidates {
		if l.balancers().Eligible(after, candidate) == "" {
			after.Targets = append(after.Targets, candidate.InstanceID)
		}
	}
	slices.Sort(after.Targets)
	operations := difference.Order(difference.Of(before.Balancer, after))
	return cloud.Change{Input: in, Before: before, After: &after, Operations: operations}
}

// ensure makes the balancer what the Service asks for and returns the requests it took, and
// checks that what Apply learnt is what a fresh look shows.
func (l *lab) ensure() []string {
	l.Helper()
	l.server.ResetTraffic()
	change := l.change()
	if len(change.Operations) == 0 {
		return l.requests()
	}
	progress, err := l.balancers().Apply(l.Context(), change)
	l.must(err)
	requests := l.requests()
	l.server.LoadBalancers.Activate()
	again := l.change()
	if len(again.Operations) > 0 {
		l.Errorf("left to do: %+v", again.Operations)
	}
	if learnt := difference.Of(progress.Observed.Balancer, again.Before.Balancer); len(learnt) > 0 {
		l.Errorf("Apply learnt something else than a fresh look shows: %+v", learnt)
	}
	l.input.ID = again.Before.ID
	return requests
}

// requests are the routes asked since the log was emptied.
func (l *lab) requests() []string {
	var routes []string
	for _, r := range l.server.Requests() {
		routes = append(routes, r.Route)
	}
	return routes
}

// balancer is the only balancer there is.
func (l *lab) balancer() emulator.Balancer {
	l.Helper()
	all := l.server.State().Balancers
	if len(all) != 1 {
		l.Fatalf("there are %d balancers, want one", len(all))
	}
	return all[0]
}

func (l *lab) edit(edit func(*emulator.Balancer)) {
	l.Helper()
	l.must(l.server.LoadBalancers.Edit(l.balancer().ID, edit))
}

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatalf("%v (class %s)", err, l.driver.Classify(err).Class)
	}
}
