package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubernetes/agnhost"
)

// Options say what is run.
type Options struct {
	// Cloud is the provider.
	Cloud string
	// Focus selects specs whose name contains it; all when "".
	Focus string
	// Slow runs the rolling updates too, Nodes the specs of Nodes, which the version before has.
	Slow, Nodes bool
	// Lanes is how many specs run at a time.
	Lanes int
	// Dir receives logs and reports.
	Dir string
	// Progress receives a line per step and one for each spec that ends.
	Progress io.Writer
}

// source is a module that pins a Kubernetes with specs.
type source struct {
	// module is its folder, filter the label filter of its specs.
	module, filter string
	// provider is the name of the cloud there. Specs of Nodes run on some clouds alone, by name.
	provider string
}

// Run runs the specs and returns how each ended, in their order. An error says why they could not run, or what was found that belongs to
// no spec.
func Run(ctx context.Context, o Options) (results []Result, err error) {
	if err := errors.Join(o.check(), Missing()); err != nil {
		return nil, err
	}
	suites, err := o.build(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s, err := open(ctx, o.Cloud, o.Progress)
	if err != nil {
		cancel(nil)
		return nil, err
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

// check returns what is wrong with the options.
func (o Options) check() error {
	if o.Lanes < 1 {
		return fmt.Errorf("-lanes is %d, want 1 or more", o.Lanes)
	}
	return nil
}

// runSuites runs the specs in the life of a Service of the runner's own.
func (o Options) runSuites(ctx context.Context, s *site, w *watch, suites []suite) (results []Result, err error) {
	url, err := hooks{w, s.powerOff}.serve(ctx, s.Gateway().String())
	if err != nil {
		return nil, err
	}
	own := &standing{site: s, watch: w}
	if err := own.begin(ctx); err != nil {
		return nil, err
	}
	for _, from := range suites {
		from.command = s.ClientCommand
		from.args = []string{"-runner=" + url, "-kubeconfig=" + s.AdminKubeconfig(), "-kubectl-path=" + s.Binaries().Kubectl, fmt.Sprintf("-num-nodes=%d", nodes)}
		done, err := o.runSuite(ctx, s, from)
		results = append(results, done...)
		if err != nil {
			return results, err
		}
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("no spec has %q in its name", o.Focus)
	}
	err = errors.Join(own.end(ctx), s.conclude(ctx, w))
	fmt.Fprintf(o.Progress, "the life of a Service took %d writes and %d reads of load balancers\n", own.spent.Writes, own.spent.Reads)
	return results, err
}

// Missing says what this machine lacks, a line for each, nil when nothing.
func Missing() error {
	if err := errors.Join(cluster.Missing(), agnhost.Missing()); err != nil {
		return err
	}
	return plane.Missing() // which needs root
}

// build builds what is needed before a cluster is.
func (o Options) build(ctx context.Context) ([]suite, error) {
	root, err := ccm.Root()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for logs: %w", err)
	}
	folder := filepath.Join(root, "test", "e2e", "kubernetes")
	sources := []source{{folder, "Feature: containsAny LoadBalancer", o.Cloud}}
	if o.Nodes {
		sources = append(sources, source{filepath.Join(folder, "nodes"), "Feature: containsAny CloudProvider", "aws"})
	}
	var suites []suite
	for i, from := range sources {
		s := suite{program: filepath.Join(o.Dir, fmt.Sprintf("suite-%d", i)), filter: from.filter, provider: from.provider, dir: filepath.Join(o.Dir, fmt.Sprintf("logs-%d", i)), module: from.module}
		if s.version, err = controlplane.Version(from.module); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(s.dir, 0o755); err != nil {
			return nil, fmt.Errorf("making a folder for logs: %w", err)
		}
		if err := controlplane.BuildModule(ctx, from.module, "./suite", s.program, o.Progress); err != nil {
			return nil, err
		}
		suites = append(suites, s)
	}
	return suites, nil
}

// runSuite gives the nodes the image of a suite and runs its specs.
func (o Options) runSuite(ctx context.Context, s *site, from suite) ([]Result, error) {
	image, err := agnhost.Build(ctx, from.dir, from.module, o.Progress)
	if err != nil {
		return nil, err
	}
	if err := s.LoadImage(ctx, image.Name, image.Path); err != nil {
		return nil, err
	}
	specs, err := from.list(ctx)
	if err != nil {
		return nil, err
	}
	specs = slices.DeleteFunc(specs, func(spec Spec) bool { return !strings.Contains(spec.Name, o.Focus) || spec.Slow && !o.Slow })
	fmt.Fprintf(o.Progress, "%d specs in %d lanes\n", len(specs), o.Lanes)
	began := time.Now()
	return inLanes(ctx, from, o.Cloud, specs, o.Lanes, func(r *Result) {
		r.Kubernetes = from.version
		fmt.Fprintf(o.Progress, "%5.0f s  %-8s %4.0f s  %s\n", time.Since(began).Seconds(), r.Outcome, r.Took.Seconds(), r.Spec.Short())
		if r.Outcome != Passed {
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
