package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubernetes/agnhost"
)

// Options say what is run.
type Options struct {
	// Cloud is the provider.
	Cloud string
	// Focus selects specs whose name, or the short one that is shown, contains it; all when "".
	Focus string
	// Slow runs the rolling updates too, Nodes the specs of Nodes, which the version before has.
	Slow, Nodes bool
	// Processes is how many specs run at a time, each in a process of its own.
	Processes int
	// Dir receives logs and reports.
	Dir string
	// Progress receives a line per step and one for each spec that ends.
	Progress io.Writer
}

// Summary is what came of a run.
type Summary struct {
	// Results are those of the specs, in their order.
	Results []Result
	// Calls are those that the life of the runner's own Service took.
	Calls install.Calls
}

// Run runs the specs. An error says why they could not run, or what was found that belongs to no spec.
func Run(ctx context.Context, o Options) (sum Summary, err error) {
	if err := errors.Join(o.Check(), Missing()); err != nil {
		return sum, err
	}
	suites, err := o.build(ctx)
	if err != nil {
		return sum, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s, err := open(ctx, o.Cloud, o.Progress)
	if err != nil {
		cancel(nil)
		return sum, err
	}
	w := newWatch(s.Client(), s.cloud)
	var watching sync.WaitGroup
	defer func() { //nolint:contextcheck // cleaning up goes on after ctx's end
		cancel(nil)
		watching.Wait()
		err = errors.Join(err, <-s.carrying, s.close())
	}()
	go s.carry(ctx, cancel)
	watching.Go(func() { w.follow(ctx) })
	return o.runSuites(ctx, s, w, suites)
}

// Check returns what is wrong with the options.
func (o Options) Check() error {
	if o.Processes < 1 {
		return fmt.Errorf("-procs is %d, want 1 or more", o.Processes)
	}
	if !slices.Contains(install.Clouds(), o.Cloud) {
		return fmt.Errorf("there is no cloud %q whose load balancers these tests can judge; there are: %s", o.Cloud, strings.Join(install.Clouds(), ", "))
	}
	return nil
}

// runSuites runs the specs in the life of a Service of the runner's own.
func (o Options) runSuites(ctx context.Context, s *site, w *watch, suites []*suite) (sum Summary, err error) {
	url, err := hooks{w, s.powerOff}.serve(ctx, s.Gateway().String())
	if err != nil {
		return sum, err
	}
	own := &ownService{site: s, watch: w}
	if err := own.begin(ctx); err != nil {
		return sum, err
	}
	for _, from := range suites {
		from.command = s.ClientCommand
		from.args = []string{"-runner=" + url, "-kubeconfig=" + s.AdminKubeconfig(), "-kubectl-path=" + s.Binaries().Kubectl, fmt.Sprintf("-num-nodes=%d", nodes)}
		done, err := o.runSuite(ctx, s, from)
		sum.Results = append(sum.Results, done...)
		if err != nil {
			return sum, err
		}
	}
	err = errors.Join(own.end(ctx), s.conclude(ctx, w))
	sum.Calls = own.spent
	fmt.Fprintf(o.Progress, "the life of the runner's own Service took %s\nlogs and reports: %s\n", sum.Calls, o.Dir)
	return sum, err
}

// Missing says what this machine lacks, a line for each, nil when nothing.
func Missing() error {
	if err := errors.Join(cluster.Missing(), agnhost.Missing()); err != nil {
		return err
	}
	return plane.Missing() // which needs root
}

// build builds the suites before there is a cluster. One that has no spec to run is left out.
func (o Options) build(ctx context.Context) (suites []*suite, err error) {
	root, err := ccm.Root()
	if err != nil {
		return nil, err
	}
	modules := []string{filepath.Join(root, "test", "e2e", "kubernetes")}
	if o.Nodes {
		modules = append(modules, filepath.Join(modules[0], "nodes"))
	}
	var all []Spec
	for i, module := range modules {
		s := &suite{module: module, program: filepath.Join(o.Dir, fmt.Sprintf("suite-%d", i)), dir: filepath.Join(o.Dir, fmt.Sprintf("logs-%d", i))}
		if err := s.build(ctx, o); err != nil {
			return nil, err
		}
		all = append(all, s.specs...)
		if s.specs = slices.DeleteFunc(s.specs, o.leftOut); len(s.specs) > 0 {
			suites = append(suites, s)
		}
	}
	if len(suites) == 0 {
		return nil, fmt.Errorf("no spec has %q in its name", o.Focus)
	}
	return suites, unmatched(skips, all)
}

// leftOut reports whether the options leave a spec out.
func (o Options) leftOut(spec Spec) bool {
	named := strings.Contains(spec.Name, o.Focus) || strings.Contains(spec.Short(), o.Focus)
	return !named || spec.Slow && !o.Slow
}

// runSuite gives the nodes the image of a suite and runs its specs.
func (o Options) runSuite(ctx context.Context, s *site, from *suite) ([]Result, error) {
	image, err := agnhost.Build(ctx, from.dir, from.module, o.Progress)
	if err != nil {
		return nil, err
	}
	if err := s.LoadImage(ctx, image.Name, image.Path); err != nil {
		return nil, err
	}
	fmt.Fprintf(o.Progress, "running %d specs in %d parallel processes\n", len(from.specs), o.Processes)
	began := time.Now()
	return from.runParallel(ctx, o.Cloud, o.Processes, func(r *Result) {
		r.Kubernetes = from.version
		fmt.Fprintf(o.Progress, "%5.0f s  %-8s %4.0f s  %s\n", time.Since(began).Seconds(), r.Outcome, r.Took.Seconds(), r.Spec.Short())
		if r.Outcome == Failed || r.Outcome == Skipped {
			fmt.Fprintf(o.Progress, "         %s\n", strings.ReplaceAll(strings.TrimSpace(r.Message), "\n", "\n         "))
		}
	}), context.Cause(ctx)
}

// conclude looks at what no spec was told: what was found after it or belongs to none, and what the doctor finds.
func (s *site) conclude(ctx context.Context, w *watch) error {
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	var err error
	if found := w.rest(); len(found) > 0 {
		err = errors.New(strings.Join(found, "\n"))
	}
	out, problem := s.helm.Run(ctx, "test", install.Release, "--logs", "--timeout=1m")
	if problem != nil {
		err = errors.Join(err, fmt.Errorf("the doctor finds problems at the end: %w\n%s", problem, out))
	}
	return err
}
