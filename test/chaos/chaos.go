package chaos

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// Options of Run.
type Options struct {
	// Binary is the path of the binary under attack.
	Binary string
	// Only runs the scenarios of these names; all when empty.
	Only []string
	// Soak is how long to soak. Where it is 0 there is no soak.
	Soak time.Duration
	// Seed decides what happens in a soak.
	Seed uint64
	// Progress receives a line per step, nowhere by default.
	Progress io.Writer
}

// Result is the verdict about one bound.
type Result struct {
	Scenario string
	// Done is what was done to the CCM.
	Done string
	// Bound and Measured are texts with the same unit.
	Bound, Measured string
	OK              bool
	Took            time.Duration
	// Detail says what was wrong.
	Detail string
}

// scenario is one attack on a cluster and a cloud of its own use.
type scenario struct {
	name string
	run  func(context.Context, *arena) ([]Result, error)
}

// groups are scenarios that share a cluster, one after the other. The groups run side by side,
// because they wait most of the time.
var groups = [][]scenario{
	{{"kill loop", killLoop}},
	{{"reads that say none", blindReads(0)}, {"reads 40 s late", blindReads(40 * time.Second)}},
	{{"two leaders", twoLeaders}, {"tenants", tenants}, {"many services", manyServices}},
	{{"two clusters from one backup", restoredCluster}},
	{{"invalid services", invalid}, {"services at once", burst}},
	{{"mass removal", massRemoval}, {"whole-pool replacement", poolReplacement(10, 10)}, {"pool replacement", poolReplacement(30, 25)}},
	{{"hostile answers", hostileAnswers}, {"hostile OpenStack", hostileCloud(openStack)}, {"hostile AWS", hostileCloud(amazon)}, {"frozen API server", frozenAPIServer}},
}

// scenarioLimit bounds one scenario.
const scenarioLimit = 3 * time.Minute

// Names returns the names of all scenarios.
func Names() (names []string) {
	for _, group := range groups {
		for _, s := range group {
			names = append(names, s.name)
		}
	}
	for _, s := range soaks {
		names = append(names, s.name)
	}
	return names
}

// Run runs the scenarios and returns their results in the order of Names. A scenario that could not
// be carried out is a result that is not OK.
func Run(ctx context.Context, o Options) ([]Result, error) {
	var mu sync.Mutex
	found := map[string][]Result{}
	report := func(name string, results []Result) {
		mu.Lock()
		defer mu.Unlock()
		found[name] = results
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, scenarios := range groups {
		scenarios = slices.DeleteFunc(slices.Clone(scenarios), func(s scenario) bool { return !o.asks(s.name) })
		if len(scenarios) > 0 {
			group.Go(func() error { return together(ctx, o, scenarios, report) })
		}
	}
	for _, s := range soaks {
		if o.Soak > 0 && o.asks(s.name) {
			group.Go(func() error { report(s.name, s.results(ctx, o)); return nil })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []Result
	for _, name := range Names() {
		all = append(all, found[name]...)
	}
	return all, nil
}

// asks reports whether a scenario is asked for.
func (o Options) asks(name string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, name) }

// together runs scenarios one after the other on one cluster.
func together(ctx context.Context, o Options, scenarios []scenario, report func(string, []Result)) error {
	cloud, err := testcloud.NewDigitalOcean(digitalocean.Options{})
	if err != nil {
		return fmt.Errorf("starting a cloud: %w", err)
	}
	l, err := lab.Start(ctx, lab.Options{
		Binary: o.Binary, Cloud: cloud, ControlPlane: controlplane.Options{Controllers: controlplane.NoControllers, Progress: o.Progress},
	})
	if err != nil {
		return fmt.Errorf("starting a lab: %w", err)
	}
	defer l.Stop()
	for _, s := range scenarios {
		began := time.Now()
		fmt.Fprintf(o.Progress, "chaos: %s\n", s.name)
		results, err := attack(ctx, l, cloud, s)
		report(s.name, of(s.name, began, results, err))
	}
	return nil
}

// of completes the results of a scenario. That it could not be carried out is one of them.
func of(name string, began time.Time, results []Result, err error) []Result {
	if err != nil {
		results = append(results, Result{Done: "the scenario itself", Bound: "carried out", Measured: "not", Detail: err.Error()})
	}
	for i := range results {
		results[i].Scenario, results[i].Took = name, time.Since(began)
	}
	return results
}

func attack(ctx context.Context, l *lab.Lab, cloud *testcloud.DigitalOcean, s scenario) ([]Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, scenarioLimit, fmt.Errorf("not within %s", scenarioLimit))
	defer cancel()
	a := &arena{Lab: l, Cloud: cloud, name: s.name}
	defer a.stopAll()
	if err := a.clear(ctx); err != nil {
		return nil, err
	}
	return s.run(ctx, a)
}

// count is a result about a number that must not be larger than the bound.
func count(done, what string, bound, measured int, detail string) Result {
	return Result{Done: done, Bound: fmt.Sprintf("≤ %d %s", bound, what), Measured: fmt.Sprint(measured), OK: measured <= bound, Detail: detail}
}

// holds is a result about something that must be.
func holds(done, what string, err error) Result {
	if err != nil {
		return Result{Done: done, Bound: what, Measured: "no", Detail: err.Error()}
	}
	return Result{Done: done, Bound: what, Measured: "yes", OK: true}
}
