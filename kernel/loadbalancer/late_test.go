package loadbalancer

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// lateDriver is a cloud that accepts a change and refuses it afterwards.
type lateDriver struct {
	twinDriver
	// late says why a change fails, nil when it does not.
	late   func(cloud.Change) error
	failed map[string]error
}

func (d *lateDriver) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	if err := d.late(change); err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		id := fmt.Sprintf("operation-%d", len(d.failed))
		d.failed[id] = err
		return cloud.Progress{Operations: []string{id}}, nil
	}
	return d.twinDriver.Apply(ctx, change)
}

func (d *lateDriver) OperationStates(_ context.Context, ids []string) (map[string]cloud.OperationState, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := map[string]cloud.OperationState{}
	for _, id := range ids {
		states[id] = cloud.OperationState{Err: d.failed[id]}
	}
	return states, nil
}

var _ cloud.Operations = (*lateDriver)(nil)

// withLate returns a fixture whose Service has a balancer and asks for another one. Alone is why the cloud
// cannot have both.
func withLate(t *testing.T, alone string, late func(cloud.Change) error) (*fixture, *lateDriver) {
	d := &lateDriver{late: func(cloud.Change) error { return nil }, failed: map[string]error{}}
	f := withDriver(t, func(fake *fakeDriver) cloud.Account {
		d.twinDriver = twinDriver{fakeDriver: fake, alone: alone}
		return d
	})
	f.settle()
	f.driver.writes = nil
	f.internal()
	d.late = late
	return f, d
}

// The old balancer was deleted first, and the cloud refuses the new one after it has accepted it: the old one
// is made again, once.
func TestReplacementThatIsRefusedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, d := withLate(t, "they have the same address", func(change cloud.Change) error {
			if change.After != nil && change.After.Scope == cloud.ScopeInternal {
				return &cloud.Invalid{Field: "scope", Value: "internal", Want: "a subnet"}
			}
			return nil
		})
		for range 10 {
			_ = f.ensure()
			time.Sleep(operationWait)
		}
		f.wrote("delete balancer", "create balancer")
		if f.only().Scope != cloud.ScopeExternal || len(d.failed) != 1 {
			t.Errorf("balancer %+v, refused %d times", f.only(), len(d.failed))
		}
		if said := strings.Join(f.events.take(), "\n"); !strings.Contains(said, "LoadBalancerReplacementRefused: the cloud refused the new balancer") {
			t.Errorf("events:\n%s", said)
		}
	})
}

// The deletion of the old balancer goes on after the answer: the run has not succeeded, so that the waits between
// the retries of one that fails grow.
func TestOldBalancerThatCannotBeDeletedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, d := withLate(t, "", func(change cloud.Change) error {
			if change.After == nil {
				return errBroken
			}
			return nil
		})
		for range 20 {
			err := f.ensure()
			if len(d.failed) > 0 && err == nil {
				t.Fatal("the run is a success although the deletion goes on, or has failed")
			}
			time.Sleep(operationWait)
		}
		if len(d.failed) == 0 || len(f.driver.balancers) != 2 {
			t.Errorf("deleted %d times, balancers %v", len(d.failed), f.driver.balancers)
		}
	})
}
