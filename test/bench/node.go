package bench

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// parallel is how many writes of the bench itself run at once.
const parallel = 32

// join makes the machines and their Nodes, before any process runs.
func (r *run) join(ctx context.Context) error {
	return r.joinMore(ctx, r.options.Nodes, false)
}

func (r *run) joinMore(ctx context.Context, n int, ready bool) error {
	machines, err := r.lab.Cloud.Seed(ctx, n, testcloud.Machine{})
	if err != nil {
		return fmt.Errorf("making machines: %w", err)
	}
	var nodes []controlplane.NodeOptions
	for _, m := range machines {
		node := m.Node()
		node.Ready = ready
		nodes = append(nodes, node)
		r.names = append(r.names, m.Name)
	}
	return r.lab.JoinNodes(ctx, nodes)
}

func (r *run) setReady(ctx context.Context, names []string, ready bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, name := range names {
		group.Go(func() error { return r.lab.SetReady(ctx, name, ready, "") })
	}
	return group.Wait()
}

// initialise measures from the start of the process to the last node.
func (r *run) initialise(ctx context.Context) error {
	m, probed := r.now(), others(ctx, r.lab.Client())
	p, err := r.start(initialiseProcess)
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := within(ctx, p, 20*time.Minute)
	defer cancel()
	profiled := r.profile(ctx, p, initialiseProcess)
	last, err := r.watch.untilInitialised(ctx, r.options.Nodes)
	if err != nil {
		return err
	}
	result := &r.result.Initialise
	result.Seconds, result.Others = last.Sub(m.at).Seconds(), probed()
	if err := profiled(); err != nil {
		return err
	}
	if err := r.settle(ctx, time.Second); err != nil {
		return err
	}
	result.Calls = r.calls(m)
	cpu, err := r.end(context.WithoutCancel(ctx), initialiseProcess, p)
	if err != nil {
		return err
	}
	// Events come last, so writes are counted when the process has ended.
	result.Writes, err = r.writes(m)
	result.CPUSeconds = cpu.Seconds()
	result.CPUMillisecondsPerNode = cpu.Seconds() * 1000 / float64(r.options.Nodes)
	return err
}

// restartAndNotReady makes all nodes Ready, measures what a restart costs, then what a
// while with a tenth of the nodes NotReady does, and then makes the Services.
func (r *run) restartAndNotReady(ctx context.Context) error {
	if err := r.setReady(ctx, r.names, true); err != nil {
		return err
	}
	m := r.now()
	// Otherwise the nodes would be too young to be asked for.
	p, err := r.start(defaultProcess, "--node-deletion-grace=1s")
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := within(ctx, p, 20*time.Minute+notReadyWindow(r.listAge()))
	defer cancel()
	if err := r.afterStart(ctx, p, m); err != nil {
		return err
	}
	r.result.Restart = r.calls(m)
	if err := r.notReady(ctx); err != nil {
		return err
	}
	if r.options.Services > 0 {
		r.progress("creating %d Services", r.options.Services)
		if err := r.createServices(ctx, p); err != nil {
			return err
		}
	}
	_, err = r.end(context.WithoutCancel(ctx), defaultProcess, p)
	return err
}

// afterStart waits until a started process has nothing more to do.
func (r *run) afterStart(ctx context.Context, p *ccm.Process, m moment) error {
	if err := p.Healthy(ctx); err != nil {
		return err
	}
	err := controlplane.Eventually(ctx, func(context.Context) error {
		if n := r.calls(m).Routes[r.facts.List]; n < r.facts.Pages(r.options.Nodes) {
			return fmt.Errorf("%d of %d pages of machines were listed", n, r.facts.Pages(r.options.Nodes))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.settle(ctx, 3*time.Second)
}

// notReadyWindow is how long two lists serve, and one where that is many minutes.
func notReadyWindow(listAge time.Duration) time.Duration {
	lists := time.Duration(2)
	if listAge > 5*time.Minute {
		lists = 1
	}
	return lists*listAge + 10*time.Second
}

// notReady measures a while with a tenth of the nodes NotReady.
func (r *run) notReady(ctx context.Context) error {
	tenth := r.names[:max(1, len(r.names)/10)]
	if err := r.setReady(ctx, tenth, false); err != nil {
		return err
	}
	m, window := r.now(), notReadyWindow(r.listAge())
	if err := pause(ctx, window); err != nil {
		return err
	}
	r.result.NotReady = Window{Calls: r.calls(m), Seconds: time.Since(m.at).Seconds()}
	r.result.NodesLost = r.options.Nodes - r.watch.nodeCount()
	return r.setReady(ctx, tenth, true)
}

// listAge is how old a list of machines may become.
func (r *run) listAge() time.Duration { return r.facts.ListAge(r.options.Nodes) }

// listsPerHour is how many lists the status passes of an hour read, with their default period: each that finds the
// last one too old.
func listsPerHour(age time.Duration) int {
	passes := (age + statusPeriod - 1) / statusPeriod
	return int(time.Hour / (passes * statusPeriod))
}

// pause is a window of a measurement: what happens in it is the result.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
