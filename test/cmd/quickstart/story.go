package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

const (
	// patience is how long a phase may take; on an idle machine it takes seconds.
	patience = 2 * time.Minute
	// stopTime is what the CCM gets to end by itself.
	stopTime = 10 * time.Second
)

// grace is how long a Node has to be NotReady before its machine is judged.
const grace = "--node-deletion-grace=5s"

// haste are flags that shorten what protects a real cluster, so that nobody has to wait.
var haste = []string{
	grace, "--node-deletion-confirm-gap=2s",
	"--node-burst-window=1s", "--node-monitor-period=1s",
}

// slowly is why the second phase takes so long: the list that the Nodes were initialised from answers until it is too old.
const slowly = "Machines are read every half minute; " + deleted + " goes when two reads miss it."

// slowness is why the second phase takes so long on a cloud.
func slowness(c cloud) string {
	if c.hasAPI() {
		return slowly
	}
	return fmt.Sprintf("Nobody can tell that a machine is gone: no Node is touched, which is watched for %.0f s.", kept.Seconds())
}

var errEnded = errors.New("the CCM ended by itself")

// quickstart is one run. What it starts is appended to undo.
type quickstart struct {
	options
	out    *output
	cancel context.CancelCauseFunc
	cloud  cloud

	log      io.Writer // lines with the time
	binaries controlplane.Binaries
	clusters [2]*cluster
	dir      string
	ccm      *ccm.Process
	board    *board
	display  display
	undo     []func()
}

// clean undoes everything, the last thing first.
func (q *quickstart) clean() {
	for i := range q.undo {
		q.undo[len(q.undo)-1-i]()
	}
	q.cloud.close()
}

func (q *quickstart) later(f func()) { q.undo = append(q.undo, f) }

// play tells the whole story.
func (q *quickstart) play(ctx context.Context) error {
	q.log = &stamped{out: q.out, started: time.Now()}
	if err := q.prepare(ctx); err != nil {
		return err
	}
	err := q.perform(ctx)
	q.display.close()
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errEnded) {
		return context.Cause(ctx)
	}
	if err = q.report(err); err != nil || q.unattended {
		return err
	}
	q.invite()
	<-ctx.Done()
	if cause := context.Cause(ctx); errors.Is(cause, errEnded) {
		return fmt.Errorf("%w; end of its log:\n%s", cause, q.ccm.Tail())
	}
	fmt.Fprintln(q.out, "\nremoving everything")
	return nil
}

// prepare builds and starts everything.
func (q *quickstart) prepare(ctx context.Context) (err error) {
	fmt.Fprintln(q.log, "==> looking for a control plane: in the cache, KUBEBUILDER_ASSETS, setup-envtest's cache and PATH")
	if q.binaries, err = controlplane.BuildDemo(ctx, controlplane.Options{Progress: q.log}); err != nil {
		return err
	}
	fmt.Fprintln(q.log, "==> starting two clusters")
	if err := q.startClusters(ctx); err != nil {
		return err
	}
	fmt.Fprintln(q.log, "==> starting the CCM in one of them, on", q.cloud.title())
	fmt.Fprintln(q.log, "    with its own ServiceAccount and only the permissions of config/rbac")
	fmt.Fprintln(q.log, "    shortened for this demonstration, don't do so on a real cluster:")
	for _, flag := range haste {
		fmt.Fprintln(q.log, "     ", flag)
	}
	if err := q.startCCM(ctx); err != nil {
		return err
	}
	q.open(ctx)
	return nil
}

func (q *quickstart) startClusters(ctx context.Context) error {
	var group errgroup.Group
	for i := range q.clusters {
		group.Go(func() error {
			cp, err := controlplane.Start(ctx, controlplane.Options{KeepDir: q.keep, Installed: true, Controllers: controlplane.NoControllers})
			if err != nil {
				return fmt.Errorf("the cluster %s: %w", sideNames[i], err)
			}
			q.clusters[i] = &cluster{ControlPlane: cp, side: i}
			return nil
		})
	}
	q.later(q.stopClusters) // even if only one has started
	return group.Wait()
}

func (q *quickstart) stopClusters() {
	var group errgroup.Group
	for _, c := range q.clusters {
		if c != nil {
			group.Go(c.Stop)
		}
	}
	if err := group.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
	}
}

func (q *quickstart) startCCM(ctx context.Context) (err error) {
	if q.dir, err = os.MkdirTemp("", "mccm-quickstart-"); err != nil {
		return fmt.Errorf("making a folder for the CCM: %w", err)
	}
	q.later(func() {
		if !q.keep {
			_ = os.RemoveAll(q.dir)
		}
	})
	kubeconfig, err := lab.Authorize(ctx, q.clusters[with].ControlPlane)
	if err != nil {
		return fmt.Errorf("giving the CCM its permissions (`make generate` writes them): %w", err)
	}
	q.ccm, err = ccm.Start(ccm.Options{
		Binary: q.binary, Kubeconfig: kubeconfig, Provider: q.cloud.provider(),
		Env: q.cloud.env(), Args: append(q.cloud.args(), haste...), Dir: q.dir, Name: q.cloud.provider(),
	})
	if err != nil {
		return err
	}
	q.later(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		_ = q.ccm.Stop(ctx) // whatever it says, it is gone then
	})
	go func() {
		<-q.ccm.Done()
		q.cancel(fmt.Errorf("%w with exit code %d", errEnded, q.ccm.ExitCode()))
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer for %v", patience))
	defer cancel()
	if err := q.ccm.Healthy(ctx); err != nil {
		return fmt.Errorf("waiting for the CCM: %w; end of its log:\n%s", err, q.ccm.Tail())
	}
	return nil
}

// open begins to show both clusters.
func (q *quickstart) open(ctx context.Context) {
	q.board = newBoard(q.cloud, q.ccm.Log, func(c change) { q.display.change(c) })
	q.display = lines{q.log}
	if columns, height := q.out.size(); columns >= pictureWidth && height >= len(q.board.rows)+4 {
		fmt.Fprintln(q.out)
		q.display = newScreen(q.out, func() []string { return table(q.board.rows, q.board.snapshot(), green) })
	}
	for _, c := range q.clusters {
		c.board = q.board
	}
	if q.cloud.carriesTraffic() {
		q.clusters[with].proxy = newProxy(q.cloud.machines())
		q.later(q.clusters[with].proxy.close)
	}
	for _, c := range q.clusters {
		c.watch(ctx)
	}
}

// perform does to both clusters the same.
func (q *quickstart) perform(ctx context.Context) error {
	step := "three nodes join"
	if q.cloud.hasBalancers() {
		step += ", a Service of type LoadBalancer is created"
	}
	q.display.step(step)
	q.board.enter(joining)
	for _, c := range q.clusters {
		err := c.join(ctx, q.cloud.machines())
		if q.cloud.hasBalancers() {
			err = errors.Join(err, c.expose(ctx))
		}
		if err != nil {
			return err
		}
	}
	if err := q.await(ctx); err != nil {
		return err
	}
	q.display.step(fmt.Sprintf("the machine of %s is stopped, that of %s deleted", stopped, deleted))
	q.display.why(slowness(q.cloud))
	if err := q.strike(ctx); err != nil {
		return err
	}
	if err := q.await(ctx); err != nil {
		return err
	}
	q.display.step("done")
	return nil
}

// strike stops one machine and deletes another.
func (q *quickstart) strike(ctx context.Context) error {
	q.board.enter(outage)
	err := errors.Join(q.cloud.stop(stopped), q.cloud.remove(deleted))
	for _, c := range q.clusters {
		if c.proxy != nil {
			c.proxy.halt(stopped)
			c.proxy.halt(deleted)
		}
		err = errors.Join(err, c.silence(ctx, stopped, deleted))
	}
	return err
}

// await waits until everything expected with the CCM in this phase has happened.
func (q *quickstart) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it has not happened within %v", patience))
	defer cancel()
	go q.keepAsking(ctx)
	quiet, look := time.NewTicker(10*time.Second), time.NewTicker(time.Second)
	defer quiet.Stop()
	defer look.Stop()
	for {
		missing, changed := q.board.missing()
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-look.C: // what has to stay so is met by time
		case <-quiet.C:
			q.display.waiting(missing)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// keepAsking sends requests through the balancer until ctx ends.
func (q *quickstart) keepAsking(ctx context.Context) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		if door := q.door(); door != "" {
			answer, err := ask(ctx, door)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				answer = exchange{text: err.Error()}
			}
			q.board.update(with, func(s *side) { s.answer = answer })
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// door returns where the Service's balancer listens, "" when there is none.
func (q *quickstart) door() string {
	service := q.board.service(with)
	if service == nil || len(service.Status.LoadBalancer.Ingress) == 0 {
		return ""
	}
	return q.cloud.door(service.Status.LoadBalancer.Ingress[0].IP, servicePort)
}
