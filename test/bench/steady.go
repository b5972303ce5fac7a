package bench

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// steady runs a process whose status passes come as often as each of them reads a new list.
func (r *run) steady(ctx context.Context) error {
	period := r.listAge() + 3*time.Second
	m := r.now()
	p, err := r.start(steadyProcess, "--node-status-update-frequency="+period.String())
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := within(ctx, p, 20*time.Minute+3*period)
	defer cancel()
	if err := r.ensuredAgain(ctx, m); err != nil {
		return err
	}
	if err := r.afterStart(ctx, p, m); err != nil {
		return err
	}
	r.result.SecondEnsure = r.calls(m)
	if err := r.statusPass(ctx, period); err != nil {
		return err
	}
	if r.options.Services > 0 {
		r.progress("touching %d Services", r.options.Services)
		if err := r.touchServices(ctx, p); err != nil {
			return err
		}
		if most := r.facts.MostTargets; most == 0 || r.options.Nodes+added <= most { // else nothing changes
			r.progress("adding %d nodes to %d Services", added, r.options.Services)
			if err := r.addNodes(ctx); err != nil {
				return err
			}
		}
		r.progress("deleting %d Services", r.options.Services)
		if err := r.deleteServices(ctx); err != nil {
			return err
		}
	}
	_, err = r.end(context.WithoutCancel(ctx), steadyProcess, p)
	return err
}

// ensuredAgain waits until the new process has said of every Service that it was ensured. A
// process that was started right after a busy one knows nothing of the requests before, so
// some may be refused at first.
func (r *run) ensuredAgain(ctx context.Context, m moment) error {
	since := m.at.Truncate(time.Second) // as events are dated
	return controlplane.Eventually(ctx, func(ctx context.Context) error {
		ensured, err := r.ensured(ctx, since)
		if n := len(ensured); err == nil && n < r.options.Services {
			err = fmt.Errorf("%d of %d Services were ensured", n, r.options.Services)
		}
		return err
	})
}

// ensured counts how often each Service was ensured, according to events that were first made since then.
func (r *run) ensured(ctx context.Context, since time.Time) (map[string]int, error) {
	list, err := r.lab.Client().CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=EnsuredLoadBalancer"})
	if err != nil {
		return nil, err
	}
	times := map[string]int{}
	for _, event := range list.Items {
		if !event.CreationTimestamp.Time.Before(since) {
			times[event.InvolvedObject.Name] += max(int(event.Count), 1)
		}
	}
	return times, nil
}

// statusPass measures a window with exactly one status pass in it, and from that the calls
// of an hour with the default period: the passes that read a list, and the rest of the window in
// proportion.
func (r *run) statusPass(ctx context.Context, period time.Duration) error {
	m := r.now()
	if err := onePass(ctx, r, m, period); err != nil {
		return err
	}
	if err := r.settle(ctx, 3*time.Second); err != nil {
		return err
	}
	calls, window := r.calls(m), time.Since(m.at)
	pass := listed(calls, r.facts, len(r.names))
	s := &r.result.Steady
	s.StatusPass, s.Window, s.WindowSeconds = pass, calls, window.Seconds()
	s.CallsPerHour = pass.Total*r.result.ListsPerHour + int(float64(calls.Total-pass.Total)*float64(time.Hour)/float64(window))
	writes, err := r.writes(m)
	s.Writes = writes
	return err
}

// onePass waits until a status pass has read a list, or, where none lists anything, for the time between two passes.
func onePass(ctx context.Context, r *run, m moment, period time.Duration) error {
	if !r.facts.Can(testcloud.API) {
		return pause(ctx, period)
	}
	return controlplane.Eventually(ctx, func(context.Context) error {
		if time.Since(m.at) > 3*period {
			return nil // told by the count
		}
		if n := r.calls(m).Routes[r.facts.List]; n < r.facts.Pages(len(r.names)) {
			return fmt.Errorf("%d of %d pages were listed", n, r.facts.Pages(len(r.names)))
		}
		return nil
	})
}

// listed are those of calls that lists of n machines took. What a list takes beside its pages is asked for with it.
func listed(calls Calls, facts testcloud.Facts, n int) Calls {
	pages := facts.Pages(n)
	if pages == 0 {
		return Calls{}
	}
	read := calls.Routes[facts.List]
	return Calls{Total: min(calls.Total, facts.Listing(n)*(read/pages)+read%pages), Routes: map[string]int{facts.List: read}}
}
