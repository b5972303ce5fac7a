package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric/metrictest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

var (
	opOpen    = cloud.Operation{Verb: cloud.Create, Kind: cloud.KindListener, Key: "tcp/80"}
	opStuck   = cloud.Operation{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "scope", Blocked: "immutable"}
	someWrite = plan.Plan{Cloud: "c", Subject: "Service a/b", Operations: []cloud.Operation{opOpen, opStuck}}
)

func TestExecutorModes(t *testing.T) {
	failure := failing(cloud.FailureConflict)
	tests := map[string]struct {
		mode   Mode
		plan   plan.Plan
		err    error
		calls  int
		logs   int
		result string // of opOpen
	}{
		"live":              {Live, someWrite, nil, 1, 0, "applied"},
		"the default":       {"", someWrite, nil, 1, 0, "applied"},
		"live, failing":     {Live, someWrite, failure, 1, 0, "failed"},
		"dry run":           {DryRun, someWrite, nil, 0, 1, "dry_run"},
		"nothing to do":     {Live, plan.Plan{}, nil, 0, 0, ""},
		"only blocked":      {Live, plan.Plan{Operations: []cloud.Operation{opStuck}}, nil, 0, 0, ""},
		"dry, only blocked": {DryRun, plan.Plan{Operations: []cloud.Operation{opStuck}}, nil, 0, 0, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			calls, logs := 0, 0
			c, _ := decorated(func(context.Context) error { calls++; return test.err })
			metrics := metrictest.New()
			e := NewExecutor(c, test.mode, metrics, func(plan.Plan) { logs++ })
			progress, err := e.Apply(t.Context(), test.plan, cloud.Change{})
			if calls != test.calls || logs != test.logs || !errors.Is(err, test.err) {
				t.Errorf("%d calls, %d logs, %v; want %d, %d, %v", calls, logs, err, test.calls, test.logs, test.err)
			}
			if test.err == nil && progress.Pending != (test.calls == 1) {
				t.Errorf("progress = %+v", progress)
			}
			for _, result := range []string{"applied", "failed", "dry_run"} {
				want := 0.0
				if result == test.result {
					want = 1
				}
				if got := metrics.Sum(metric.Operations, "c", "listener", "create", result); got != want {
					t.Errorf("%v %s operations counted, want %v", got, result, want)
				}
			}
			if blocked := metrics.Sum(metric.Operations, "c", "balancer", "update", "blocked"); len(test.plan.Operations) > 0 && blocked != 1 {
				t.Errorf("%v blocked operations counted, want 1", blocked)
			}
		})
	}
}

// The operations of a change are counted with its first step. A later one that fails counts as failed, unless another look follows.
func TestExecutorCountsEachChangeOnce(t *testing.T) {
	for name, test := range map[string]struct {
		err    error
		failed float64
	}{
		"done":     {nil, 0},
		"conflict": {failing(cloud.FailureConflict), 0},
		"refused":  {failing(cloud.FailureQuota), 1},
	} {
		c, _ := decorated(func(context.Context) error { return test.err })
		metrics := metrictest.New()
		e := NewExecutor(c, Live, metrics, nil)
		if _, err := e.Apply(t.Context(), someWrite, cloud.Change{Rest: "a step"}); !errors.Is(err, test.err) {
			t.Errorf("%s: %v", name, err)
		}
		for result, want := range map[string]float64{"applied": 0, "failed": test.failed, "blocked": 0} {
			if got := metrics.Sum(metric.Operations, "c", "listener", "create", result); got != want {
				t.Errorf("%s: %v %s operations counted, want %v", name, got, result, want)
			}
		}
	}
}

func TestExecutorLocksPerKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := NewExecutor(&Cloud{Name: "c"}, Live, nil, nil)
		execute := func(key string) {
			if err := e.Execute(t.Context(), key, someWrite, func(context.Context) error { time.Sleep(time.Second); return nil }); err != nil {
				t.Error(err)
			}
		}
		start := time.Now()
		for _, key := range []string{"a", "a", "a", "b"} {
			go execute(key)
		}
		time.Sleep(time.Minute + 1500*time.Millisecond)
		synctest.Wait()
		execute("a")
		if elapsed := time.Since(start); elapsed != time.Minute+2500*time.Millisecond {
			t.Errorf("a free lock took until %v", elapsed)
		}
	})
}

func TestExecutorWaitsWithinTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := NewExecutor(&Cloud{Name: "c"}, Live, nil, nil)
		slow := func(context.Context) error { time.Sleep(time.Minute); return nil }
		go e.Execute(t.Context(), "a", someWrite, slow)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		err := e.Execute(ctx, "a", someWrite, slow)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("error = %v after %v, want the deadline after 1 s", err, time.Since(start))
		}
		time.Sleep(time.Minute) // the slow one ends
	})
}

func TestExecutorWithoutBalancers(t *testing.T) {
	e := NewExecutor(&Cloud{Name: "c"}, Live, nil, nil)
	if _, err := e.Apply(t.Context(), someWrite, cloud.Change{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error = %v, want unsupported", err)
	}
}
