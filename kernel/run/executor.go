package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/keymutex"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/operation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Mode says whether changes are made.
type Mode string

// Modes. DryRun says what it would do, and writes nothing to the cloud.
const (
	Live   Mode = "live"
	DryRun Mode = "dry-run"
)

// ReadOnly reports whether the mode forbids writes; the zero Mode is Live.
func (m Mode) ReadOnly() bool { return m == DryRun }

// Results of operations, the label of metric.Operations.
const (
	resultApplied = "applied"
	resultFailed  = "failed"
	resultBlocked = "blocked"
	resultDryRun  = "dry_run"
)

// Executor is the one place where plans become writes.
//
//	          nothing executable  something executable
//	Live      no call             the write
//	DryRun    no call             log, no call
type Executor struct {
	cloud   *Cloud
	mode    Mode
	metrics metric.Sink
	log     func(plan.Plan)
	locks   keymutex.Mutex
	// operations follows what goes on after the answer.
	operations *operation.Tracker
}

// NewExecutor returns the executor of one cloud. The zero mode is Live; metrics and log may be
// nil.
func NewExecutor(c *Cloud, mode Mode, metrics metric.Sink, log func(plan.Plan)) *Executor {
	if mode == "" {
		mode = Live
	}
	if log == nil {
		log = func(plan.Plan) {}
	}
	return &Executor{cloud: c, mode: mode, metrics: metric.OrDiscard(metrics), log: log, operations: operation.New(c.Operations)}
}

// Mode returns the mode of the executor.
func (e *Executor) Mode() Mode { return e.mode }

// Apply executes the change of one balancer, which the plan describes. The caller makes changes of
// one balancer one after the other. Without a live write the Progress is zero: done.
func (e *Executor) Apply(ctx context.Context, p plan.Plan, change cloud.Change) (cloud.Progress, error) {
	if change.Rest != nil {
		return e.goOn(ctx, p, change)
	}
	if e.mode.ReadOnly() {
		var err error
		if p, err = e.cloud.WithSteps(ctx, p, change); err != nil {
			e.log(p)
			return cloud.Progress{}, err
		}
	}
	var progress cloud.Progress
	err := e.write(ctx, p, func(ctx context.Context) (err error) {
		if e.cloud.Balancers == nil {
			return fmt.Errorf("applying %s: %w", p.Subject, errors.ErrUnsupported)
		}
		progress, err = e.cloud.Balancers.Apply(ctx, change)
		return err
	})
	return progress, err
}

// goOn makes the next step of a change. Its operations were counted with the first step. A conflict is no failure: the change is made
// after another look.
func (e *Executor) goOn(ctx context.Context, p plan.Plan, change cloud.Change) (cloud.Progress, error) {
	progress, err := e.cloud.Balancers.Apply(ctx, change)
	if err != nil && !cloud.IsClass(err, cloud.FailureConflict) {
		e.count(p, resultFailed)
	}
	return progress, err
}

// Follow returns the operations of a change that goes on together with those of an earlier one, nil when
// there are none to follow.
func (e *Executor) Follow(earlier *operation.Group, progress cloud.Progress) *operation.Group {
	return e.operations.Follow(earlier, progress.After, progress.Operations...)
}

// Execute calls write for a plan that has something to execute, if the mode allows it, and
// counts every operation. Writes with the same key happen one after the other: a write that goes on
// after its answer is waited for.
func (e *Executor) Execute(ctx context.Context, key string, p plan.Plan, write func(context.Context) error) error {
	if !p.Empty() && !e.mode.ReadOnly() {
		unlock, err := e.locks.Lock(ctx, key)
		if err != nil {
			return fmt.Errorf("waiting for another change of %s: %w", p.Subject, err)
		}
		defer unlock()
	}
	return e.write(ctx, p, func(ctx context.Context) error {
		err := write(ctx)
		if running, ok := errors.AsType[*cloud.Running](err); ok {
			err = e.operations.Wait(ctx, running.Operations...)
		}
		return err
	})
}

func (e *Executor) write(ctx context.Context, p plan.Plan, write func(context.Context) error) error {
	e.count(p, resultBlocked)
	if p.Empty() {
		return nil
	}
	if e.mode.ReadOnly() {
		e.log(p)
		e.count(p, resultDryRun)
		return nil
	}
	if err := write(ctx); err != nil {
		e.count(p, resultFailed)
		return err
	}
	e.count(p, resultApplied)
	return nil
}

// count counts the blocked operations of a plan when the result is "blocked", else the
// others.
func (e *Executor) count(p plan.Plan, result string) {
	for _, op := range p.Operations {
		if (op.Blocked != "") == (result == resultBlocked) {
			e.metrics.Add(metric.Operations, 1, e.cloud.Name, string(op.Kind), string(op.Verb), result)
		}
	}
}
