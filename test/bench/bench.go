package bench

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// Options say what is measured.
type Options struct {
	// Binary is the path of the binary under test.
	Binary string
	// Cloud is the name of the test cloud.
	Cloud string
	// Nodes is the number of machines and Nodes.
	Nodes int
	// Services is how many load balancers there are in the end, where the cloud bears any with so
	// many machines.
	Services int
	// Quota makes the cloud refuse requests beyond its published limits.
	Quota bool
	// Brief leaves out all steps but the initialisation and making the Services.
	Brief bool
	// Burst makes the Services all at once, with the cloud's limit enforced, in place of all steps but the initialisation.
	Burst bool
	// Certificates has the kubelets of all Nodes ask for a certificate, in place of all steps but the initialisation.
	Certificates bool
	// Profiles is the folder that receives profiles of the binary, "" for none. They cost memory and time, so the figures
	// are not those of a run without.
	Profiles string
	// Progress receives a line per step; nowhere when nil.
	Progress io.Writer
}

const (
	// latency is what every request to the cloud takes at least.
	latency = 30 * time.Millisecond
	// activation is how long a balancer takes in the cloud; not a round number, which the
	// binary could hit by chance.
	activation = 11300 * time.Millisecond
	// entries is how many machines have an entry of their own in the inventory of a cloud without an API.
	entries = 1000
	// added is how many nodes join while the Services exist.
	added = 10
	// statusPeriod is the default of --node-status-update-frequency.
	statusPeriod = 5 * time.Minute
)

// The processes of a run.
const (
	initialiseProcess  = "initialise"
	defaultProcess     = "default"
	steadyProcess      = "steady"
	replacementProcess = "replacement"
)

// published are DigitalOcean's published limits, the strictest of those that have any.
var published = rate.Quota{Hour: 5000, Minute: 250}

// withDefaults leaves out what the cloud does not bear.
func (o Options) withDefaults(f testcloud.Facts) Options {
	if !f.Can(testcloud.Balancers) || f.MostBehind > 0 && o.Nodes > f.MostBehind {
		o.Services = 0
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	return o
}

// Run measures one number of nodes.
func Run(ctx context.Context, o Options) (Result, error) {
	cloud, err := testcloud.Open(ctx, o.Cloud, testcloud.Options{Latency: latency, Activation: activation, Entries: entries, Progress: o.Progress})
	if err != nil {
		return Result{}, err
	}
	facts := cloud.Facts()
	o = o.withDefaults(facts)
	if o.Quota {
		cloud.SetQuota(published)
	}
	l, err := lab.Start(ctx, lab.Options{
		Binary: o.Binary, Cloud: cloud,
		ControlPlane: controlplane.Options{Controllers: controlplane.NoControllers, Audit: &controlplane.Audit{}, Progress: o.Progress},
	})
	if err != nil {
		return Result{}, fmt.Errorf("starting the lab: %w", err)
	}
	defer l.Stop()
	if facts.Most > 0 && o.Nodes > facts.Most {
		return Result{}, fmt.Errorf("%d nodes: the test cloud %s bears at most %d", o.Nodes, o.Cloud, facts.Most)
	}
	r := &run{options: o, lab: l, facts: facts, result: Result{
		Cloud: o.Cloud, Nodes: o.Nodes, Services: o.Services, Listing: facts.Listing(o.Nodes), Initialising: facts.Initialising(o.Nodes), ListsPerHour: listsPerHour(facts.ListAge(o.Nodes)), Deleting: o.Services * facts.DeletionReads,
		Quota: o.Quota, PeakMemoryMB: map[string]float64{},
	}}
	watch, err := startWatch(ctx, l.AdminConfig())
	if err != nil {
		return Result{}, err
	}
	defer watch.stop()
	r.watch = watch
	if o.Profiles != "" {
		if r.token, err = profilerToken(ctx, r.lab.Client()); err != nil {
			return Result{}, fmt.Errorf("making the account that reads profiles: %w", err)
		}
	}
	others := useByOthers()
	for _, step := range r.steps() {
		r.progress("%s", step.name)
		if err := step.do(ctx); err != nil {
			return r.result, fmt.Errorf("%d nodes: %s: %w", o.Nodes, step.name, err)
		}
	}
	r.result.Others = others()
	return r.result, nil
}

// step is a part of a run.
type step struct {
	name string
	do   func(context.Context) error
}

// steps are the parts of this run, in their order.
func (r *run) steps() []step {
	steps := []step{{"joining nodes", r.join}, {"initialising nodes", r.initialise}}
	if r.options.Burst {
		return append(steps, step{"many Services at once", r.burst})
	}
	if r.options.Certificates {
		return append(steps, step{"certificates of kubelets", asking{r}.certificates})
	}
	if r.options.Brief {
		return append(steps, step{"Services", r.servicesOnly})
	}
	return append(steps, step{"nodes going NotReady", r.restartAndNotReady}, step{"another leader", r.takeover}, step{"status pass", r.steady}, step{"certificates of kubelets", asking{r}.certificates}, step{"all machines replaced", r.replaceAll})
}

// run is one measurement under way.
type run struct {
	options Options
	lab     *lab.Lab
	facts   testcloud.Facts
	watch   *clusterWatch
	names   []string // of the nodes
	token   string   // of the account that reads profiles
	result  Result
}

func (r *run) progress(format string, args ...any) {
	fmt.Fprintf(r.options.Progress, "bench: %s: %d nodes: %s\n", r.options.Cloud, r.options.Nodes, fmt.Sprintf(format, args...))
}

// start starts a process; the flags of the lab make it reachable, the rest is default.
func (r *run) start(name string, args ...string) (*ccm.Process, error) {
	if r.options.Profiles != "" {
		args = append(args, "--profiling")
	}
	return r.lab.StartCCM(lab.CCMOptions{Name: name, OwnCertificate: true, Args: append([]string{"--v=0"}, args...)})
}

// end stops a process, keeps its peak memory, and returns its processor time.
func (r *run) end(ctx context.Context, name string, p *ccm.Process) (cpu time.Duration, err error) {
	memory, err := p.Memory()
	if err != nil {
		return 0, err
	}
	r.result.PeakMemoryMB[name], r.result.BinaryMB = float64(memory.Peak)/1e6, float64(memory.Binary)/1e6
	if err := p.Stop(ctx); err != nil {
		return 0, err
	}
	return p.CPU(), nil
}

// within bounds one wait, and ends it when the process does.
func within(ctx context.Context, p *ccm.Process, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, d, fmt.Errorf("nothing more happened within %v", d))
	ended, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.Done():
			end(fmt.Errorf("the process ended early: %w; its log: %s", p.Err(), p.Tail()))
		case <-ctx.Done():
		}
	}()
	return ended, func() { end(nil); cancel() }
}
