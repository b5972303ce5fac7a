package loadbalancer

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
)

// refuses has the fake cloud refuse a change that makes one of these machines a target. It says which, or nothing of it.
func (f *fixture) refuses(names bool, perhaps func(cloud.Change) bool, bad ...cloud.InstanceID) (requests *int) {
	requests = new(int)
	f.driver.refuse = func(change cloud.Change) error {
		if *requests++; change.After == nil {
			return nil
		}
		refused := &cloud.TargetsRefused{Perhaps: perhaps(change), Text: "it is odd", Err: &cloud.Invalid{Field: "targets", Value: "x", Want: "others"}}
		at := false
		for _, id := range change.After.Targets {
			if slices.Contains(change.Before.Balancer.Targets, id) {
				continue
			}
			refused.Asked = append(refused.Asked, id)
			if slices.Contains(bad, id) {
				if at = true; names {
					refused.Named = append(refused.Named, id)
				}
			}
		}
		if !at {
			return nil
		}
		return refused
	}
	return requests
}

func never(cloud.Change) bool { return false }

// brought runs Ensure until it need not run again within a minute.
func (f *fixture) brought() {
	f.t.Helper()
	for range 50 {
		err := f.ensure()
		if err == nil && (f.again == 0 || f.again > time.Minute) {
			return
		}
		if err == nil {
			err = &Pending{After: f.again}
		}
		pending, ok := errors.AsType[*Pending](err)
		if !ok {
			f.t.Fatal(err)
		}
		time.Sleep(pending.After)
	}
	f.t.Fatal("it goes on for ever")
}

// TestOneBadTarget: a load balancer is made, and others join, whatever is wrong with one machine. The event names it, and it
// is asked for again after a while.
func TestOneBadTarget(t *testing.T) {
	for name, test := range map[string]struct {
		names    bool
		perhaps  func(cloud.Change) bool
		requests int
	}{
		"the answer names it":     {true, never, 2},
		"it names none":           {false, never, 5},
		"it may be anything else": {false, creates, 7},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				requests := f.refuses(test.names, test.perhaps, "b", "e")
				f.brought()
				if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "c"}) || *requests > test.requests {
					t.Errorf("targets %v after %d requests, want at most %d", got, *requests, test.requests)
				}
				if said := strings.Join(f.events.take(), "\n"); !strings.Contains(said, "TargetSkipped") || !strings.Contains(said, "b: the cloud refuses it as a target, and is asked again in some minutes: it is odd") {
					t.Errorf("events %s", said)
				}
				*requests = 0
				if f.brought(); *requests > 0 {
					t.Errorf("%d equal requests", *requests)
				}
				f.nodes = append(f.nodes, node("d"), node("e"))
				began := time.Now()
				f.brought()
				if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "c", "d"}) || time.Since(began) > 10*time.Second {
					t.Errorf("targets %v after %v", got, time.Since(began))
				}
				f.driver.refuse = nil
				time.Sleep(refused.For)
				f.brought()
				if got := f.only().Targets; len(got) != 5 {
					t.Errorf("targets %v once the cloud takes all", got)
				}
			})
		})
	}
}

// TestRefusedForSomethingElse: the targets are not blamed for a refusal that comes without them too, and nothing is asked twice as
// often afterwards.
func TestRefusedForSomethingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		requests := 0
		f.driver.refuse = func(change cloud.Change) error {
			requests++
			err := error(&cloud.Invalid{Field: "name", Value: "x", Want: "another one"})
			if len(change.After.Targets) > 0 {
				err = &cloud.TargetsRefused{Asked: change.After.Targets, Perhaps: true, Err: err}
			}
			return err
		}
		waits(t, f.ensure(), refused.TrialPause)
		fails(t, f.ensure(), `name: "x" is not possible`)
		if requests != 2 {
			t.Errorf("%d requests, want 2", requests)
		}
		fails(t, f.ensure(), `name: "x" is not possible`)
		if requests != 3 {
			t.Errorf("%d requests, want 3", requests)
		}
		f.driver.refuse = nil
		f.brought()
		if got := f.only().Targets; len(got) != 3 {
			t.Errorf("targets %v", got)
		}
	})
}

// TestAllTargetsRefused: a balancer is not left without what serves, and there is no hot retry.
func TestAllTargetsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		requests := f.refuses(false, never, "a", "b", "c")
		var err error
		for range 20 {
			if err = f.ensure(); err == nil {
				t.Fatal("it is made without a target")
			}
			pending, ok := errors.AsType[*Pending](err)
			if ok && pending.After > time.Minute {
				break
			}
			time.Sleep(time.Second)
		}
		if *requests > 7 || !strings.Contains(err.Error(), "a node can be its target") {
			t.Errorf("%d requests, then %v", *requests, err)
		}
	})
}

func creates(change cloud.Change) bool { return change.After != nil && !change.Before.Found }
