package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// answering is a cloud that answers each creation with another balancer.
type answering struct {
	*fakeDriver
	other string
}

func (d answering) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	p, err := d.fakeDriver.Apply(ctx, change)
	if change.After != nil && !change.Before.Found {
		o := d.observed(d.other)
		p.Observed = &o
	}
	return p, err
}

// A balancer that somebody made by hand, or that nobody owns any more, is not the Service's because a creation is answered with it.
func TestAnswerAboutABalancerOfNobody(t *testing.T) {
	for name, tags := range map[string][]string{"made by hand": nil, "kept by retain": {"cluster=prod"}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.place("lb-9", "handmade", tags...)
			f.wrapped = answering{f.driver, "lb-9"}
			f.restart()
			fails(t, f.ensure(), `the cloud answered with balancer lb-9 (name "handmade")`)
			if f.svc.Annotations[keyID.Name] != "" || creation.Of(f.svc) != nil {
				t.Errorf("recorded %v", f.svc.Annotations)
			}
			f.wrapped = nil
			f.restart()
			f.settle()
			leaving(f)
			if err := f.tries(time.Second, false); err != nil || f.driver.balancers["lb-9"].Name != "handmade" || len(f.driver.balancers) != 1 {
				t.Errorf("%v, balancers %v", err, f.driver.balancers)
			}
		})
	}
}

// Where no annotation has the id, a Service that goes waits all the same while the cloud does not show what it was asked for.
func TestDeletionWaitsWithoutAnIDAnnotation(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarts %t", restarts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				descriptor := fakeDescriptor
				descriptor.IDAnnotation = ""
				f.start(run.Live, descriptor)
				f.record = func(_ context.Context, svc *corev1.Service, annotations map[string]string) error {
					maps.Copy(svc.Annotations, annotations)
					return nil
				}
				f.settle()
				see := f.blind()
				leaving(f)
				if restarts {
					f.start(run.Live, descriptor)
				}
				time.Sleep(time.Second)
				waits(t, f.Delete(t.Context(), f.svc), time.Second)
				see()
				if err := f.tries(time.Minute, false); err != nil || len(f.driver.balancers) != 0 {
					t.Errorf("%v, %d balancers left", err, len(f.driver.balancers))
				}
			})
		})
	}
}

// What the cloud has refused to make is not waited for.
func TestDeletionAfterARefusedCreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		descriptor := fakeDescriptor
		descriptor.IDAnnotation = ""
		f.start(run.Live, descriptor)
		f.driver.fail = func(call string, done bool) error {
			if call == "apply" && !done {
				return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureQuota}, Op: "test", Err: errBroken}
			}
			return nil
		}
		fails(t, f.ensure(), "broken")
		f.driver.fail = nil
		if err := f.Delete(t.Context(), leaving(f)); err != nil {
			t.Errorf("%v, and nothing was made", err)
		}
	})
}

// What became of the deletion of a balancer that could not be made decides when another one is made in its place, and what the next
// process knows.
func TestFailedDeletions(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for name, test := range map[string]struct {
		err error
		// done says that the failure comes after the balancer was deleted.
		done bool
		// until is when another balancer is made.
		until time.Duration
	}{
		"a later step fails":     {err: errBroken, done: true, until: creation.SettlingForDeletion},
		"its answer is lost":     {err: &net.OpError{Op: "read", Err: errors.New("connection reset")}, done: true},
		"it has run out of time": {err: context.DeadlineExceeded, done: true, until: creation.SettlingForDeletion},
		"it was never sent":      {err: dial, until: creation.Settling},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				f.driver.busy = 1
				_ = f.ensure()
				f.only().failed, f.only().busy = "no room", 0
				failed := false
				f.driver.fail = func(call string, done bool) error {
					if call == "apply" && done == test.done && !failed {
						failed = true
						return test.err
					}
					return nil
				}
				start := time.Now()
				for !failed {
					_ = f.ensure()
					time.Sleep(time.Second)
				}
				if f.svc.Annotations[keyID.Name] != "lb-1" || creation.Of(f.svc).ID != "lb-1" {
					t.Errorf("recorded %v: nobody has acknowledged the deletion", f.svc.Annotations)
				}
				f.driver.fail = nil
				f.blind()
				for len(f.driver.writes) == 0 || f.driver.writes[len(f.driver.writes)-1] != "create balancer" || len(f.driver.balancers) == 0 {
					_ = f.ensure()
					time.Sleep(time.Second)
				}
				if took := time.Since(start); took < test.until || took > test.until+20*time.Second {
					t.Errorf("another balancer is made after %v, want about %v", took, test.until)
				}
			})
		})
	}
}
