package loadbalancer

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/replacement"
)

// internal asks for another scope, which only a new balancer can have.
func (f *fixture) internal() {
	f.svc.Annotations[keyInternal.Name] = "true"
	f.svc.Annotations[annotation.AllowReplacement.Name] = "true"
}

func withDriver(t *testing.T, wrap func(*fakeDriver) cloud.Account) *fixture {
	f := newFixture(t)
	f.wrapped = wrap(f.driver)
	f.restart()
	return f
}

func twins(d *fakeDriver) cloud.Account { return twinDriver{fakeDriver: d} }

// serving is the scope of the balancer whose address the Service has.
func (f *fixture) serving() cloud.Scope {
	f.t.Helper()
	ip := f.svc.Status.LoadBalancer.Ingress[0].IP
	id := "lb-" + strings.TrimPrefix(ip, "192.0.2.")
	b := f.driver.balancers[id]
	if b == nil {
		f.t.Fatalf("the status has %s, which is gone", ip)
	}
	return b.Scope
}

// The new balancer is made first, and the old one goes once the Service's status has the new one.
func TestReplacementBesideTheOldOne(t *testing.T) {
	for _, busy := range []int{0, 4} {
		synctest.Test(t, func(t *testing.T) {
			f := withDriver(t, twins)
			f.settle()
			f.driver.busy = busy
			f.driver.writes = nil
			f.internal()
			for range 20 {
				err := f.ensure()
				f.serving()
				if err == nil && f.again == 0 {
					break
				}
				time.Sleep(5 * time.Second)
			}
			f.wrote("create balancer", "delete balancer")
			if f.only().Scope != cloud.ScopeInternal || f.serving() != cloud.ScopeInternal || f.svc.Annotations[keyID.Name] != "lb-2" {
				t.Errorf("balancers %v, service %v", f.driver.balancers, f.svc.Annotations)
			}
			if note, ok := f.svc.Annotations[annotation.Replacement.Name]; ok {
				t.Errorf("the annotation is left: %s", note)
			}
			f.said()
			f.settle()
			f.wrote()
		})
	}
}

// The process dies after it recorded the new balancer and before the status was written: the old one
// stays until it was.
func TestReplacementBesideWaitsForTheStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withDriver(t, twins)
		f.settle()
		f.internal()
		status := *f.svc.Status.DeepCopy()
		for range 10 {
			f.ensure()
			f.svc.Status.LoadBalancer = *status.LoadBalancer.DeepCopy()
			f.restart()
			f.serving()
			time.Sleep(5 * time.Second)
		}
		if f.svc.Annotations[keyID.Name] != "lb-2" || len(f.driver.balancers) != 2 {
			t.Errorf("recorded %q, balancers %v", f.svc.Annotations[keyID.Name], f.driver.balancers)
		}
		f.settle()
		if f.only().Scope != cloud.ScopeInternal || f.serving() != cloud.ScopeInternal {
			t.Errorf("balancers %v", f.driver.balancers)
		}
	})
}

// The cloud refuses the new balancer: nothing is lost, and the old one is still looked after.
func TestReplacementBesideThatIsRefused(t *testing.T) {
	f := withDriver(t, twins)
	f.settle()
	f.driver.writes = nil
	f.driver.refuse = func(change cloud.Change) error {
		if change.After != nil && !change.Before.Found {
			return &cloud.Invalid{Field: "flavor", Value: "x", Want: "one that exists"}
		}
		return nil
	}
	f.internal()
	f.nodes = f.nodes[:2]
	waits(t, f.ensure(), problem.PollFirst)
	for range 3 {
		fails(t, f.ensure(), "flavor")
	}
	f.wrote("delete target c")
	if f.only().Scope != cloud.ScopeExternal {
		t.Errorf("balancer %+v", f.only())
	}
}

// The request is taken back while the new balancer is being made: it goes.
func TestReplacementGivenUp(t *testing.T) {
	for name, giveUp := range map[string]func(*fixture){
		"field":   func(f *fixture) { delete(f.svc.Annotations, keyInternal.Name) },
		"consent": func(f *fixture) { delete(f.svc.Annotations, annotation.AllowReplacement.Name) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := withDriver(t, twins)
				f.settle()
				f.internal()
				f.driver.busy = 3
				waits(t, f.ensure(), problem.PollFirst)
				if f.ensure(); len(f.driver.balancers) != 2 {
					t.Fatalf("%d balancers, want 2", len(f.driver.balancers))
				}
				giveUp(f)
				f.restart()
				f.settle()
				if f.only().Scope != cloud.ScopeExternal || f.svc.Annotations[keyID.Name] != "lb-1" {
					t.Errorf("balancer %+v, annotations %v", f.only(), f.svc.Annotations)
				}
				if _, ok := f.svc.Annotations[annotation.Replacement.Name]; ok {
					t.Error("the annotation is left")
				}
			})
		})
	}
}

// A Service that is deleted in the middle leaves nothing.
func TestDeletionDuringReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withDriver(t, twins)
		f.settle()
		f.internal()
		f.driver.busy = 2
		f.ensure()
		if f.ensure(); len(f.driver.balancers) != 2 {
			t.Fatalf("%d balancers, want 2", len(f.driver.balancers))
		}
		f.restart()
		for range 10 {
			if f.Delete(t.Context(), f.svc) == nil {
				break
			}
		}
		if len(f.driver.balancers) > 0 {
			t.Errorf("left: %v", slices.Collect(maps.Keys(f.driver.balancers)))
		}
	})
}

// What the cloud would refuse keeps the balancer that serves, and nothing is made of it.
func TestCheckBeforeReplacement(t *testing.T) {
	var asked int
	f := withDriver(t, func(d *fakeDriver) cloud.Account {
		return checkingDriver{d, func(in cloud.Input, before cloud.Observed) error {
			if asked++; keyInternal.Bool(in.Options) && before.Found {
				return errors.Join(&cloud.Invalid{Field: keyTier.Name, Value: "gold", Want: "one that exists"})
			}
			return nil
		}}
	})
	f.settle()
	f.wrote("create balancer")
	f.internal()
	f.svc.Annotations[keyAlgorithm.Name] = "random"
	p, err := f.plan(f.nodes...)
	fails(t, err, "gold")
	if slices.ContainsFunc(p.Executable(), func(op cloud.Operation) bool { return op.Verb == cloud.Delete }) {
		t.Errorf("plan %+v", p)
	}
	for range 2 {
		fails(t, f.ensure(), "gold")
	}
	f.wrote("update balancer algorithm")
	if said := strings.Join(f.events.take(), "\n"); !strings.Contains(said, "LoadBalancerReplacementRefused: the balancer stays as it is") {
		t.Errorf("events:\n%s", said)
	}
	asked = 0
	delete(f.svc.Annotations, keyInternal.Name)
	f.settle()
	if asked > 0 {
		t.Errorf("asked %d times although nothing is made", asked)
	}
}

// What the cloud would refuse is not tried.
func TestCheckBeforeCreation(t *testing.T) {
	f := withDriver(t, func(d *fakeDriver) cloud.Account {
		return checkingDriver{d, func(cloud.Input, cloud.Observed) error {
			return &cloud.Invalid{Field: keyTier.Name, Value: "gold", Want: "one that exists"}
		}}
	})
	fails(t, f.ensure(), "gold")
	f.wrote()
	f.said("InvalidConfiguration: fake.io/tier")
}

// A cloud that refuses the new balancer after the old one is gone gets the old request again, once,
// also if the process died in between.
func TestRefusedReplacementBringsTheOldOneBack(t *testing.T) {
	for _, forgetful := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			f.settle()
			f.driver.writes = nil
			f.driver.refuse = func(change cloud.Change) error {
				if change.After != nil && change.After.Scope == cloud.ScopeInternal {
					return &cloud.Invalid{Field: "scope", Value: "internal", Want: "a subnet"}
				}
				return nil
			}
			f.internal()
			waits(t, f.ensure(), problem.PollFirst)
			waits(t, f.ensure(), problem.PollFirst)
			if forgetful {
				f.restart()
			}
			f.settle()
			f.wrote("delete balancer", "create balancer")
			if f.only().Scope != cloud.ScopeExternal {
				t.Errorf("balancer %+v", f.only())
			}
			said := strings.Join(f.events.take(), "\n")
			if !strings.Contains(said, "LoadBalancerReplacementRefused: the cloud refused the new balancer") {
				t.Errorf("events:\n%s", said)
			}
			f.restart()
			f.settle()
			f.settle()
			f.wrote() // the same request deletes nothing again
			f.driver.refuse = nil
			delete(f.svc.Annotations, annotation.Replacement.Name)
			f.settle()
			if f.only().Scope != cloud.ScopeInternal {
				t.Errorf("balancer %+v", f.only())
			}
		})
	}
}

// What the cloud refuses after it has made the new balancer does not bring the old one back: there would be two.
func TestRefusalAfterTheNewOneWasMade(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.driver.writes = nil
	f.internal()
	waits(t, f.ensure(), problem.PollFirst)
	waits(t, f.ensure(), problem.PollFirst)
	f.driver.fail = func(call string, done bool) error {
		if call == "apply" && done {
			return &cloud.Invalid{Field: "tags", Value: "x", Want: "fewer"}
		}
		return nil
	}
	if err := f.ensure(); err == nil {
		t.Error("the refusal is not told")
	}
	f.wrote("delete balancer", "create balancer")
	f.driver.fail = nil
	f.settle()
	if f.only().Scope != cloud.ScopeInternal {
		t.Errorf("balancer %+v", f.only())
	}
}

// The annotation is written by whoever edits the Service. What it says counts only if we said it: in the
// status, which its user cannot write.
func TestForgedReplacement(t *testing.T) {
	refuse := func(change cloud.Change) error {
		if change.After != nil && change.After.ProviderFields["tier"] != "premium" {
			return &cloud.Invalid{Field: "tier", Value: "basic", Want: "premium"}
		}
		return nil
	}
	forge := func(f *fixture, edit func(*replacement.Record)) {
		p, _, err := f.begin(t.Context(), f.svc, nil)
		if err != nil {
			t.Fatal(err)
		}
		forged := replacement.Record{Request: p.Asked.Fingerprint, Of: "lb-0", Was: map[string]string{cloud.FieldScope: "internal", "tier": "premium"}}
		if p.Asked.Replacing != nil {
			forged = *p.Asked.Replacing
		}
		p.end()
		edit(&forged)
		maps.Copy(f.svc.Annotations, forged.Annotation())
	}
	t.Run("nothing was replaced", func(t *testing.T) {
		f := newFixture(t)
		f.driver.refuse = refuse
		forge(f, func(*replacement.Record) {})
		for range 3 {
			fails(t, f.ensure(), "premium")
		}
		f.wrote()
	})
	t.Run("after the deletion, and a restart", func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		f.driver.refuse = refuse
		f.internal()
		for range 2 {
			waits(t, f.ensure(), problem.PollFirst)
		}
		f.wrote("create balancer", "delete balancer")
		f.age()
		forge(f, func(r *replacement.Record) { r.Was["tier"] = "premium" })
		f.restart()
		for range 3 {
			fails(t, f.ensure(), "premium")
		}
		f.wrote()
	})
	t.Run("after it has ended", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := withDriver(t, twins)
			f.settle()
			f.internal()
			waits(t, f.ensure(), problem.PollFirst)
			old := f.svc.Annotations[annotation.Replacement.Name]
			f.settle()
			f.svc.Annotations[annotation.Replacement.Name] = old
			p, _, err := f.begin(t.Context(), f.svc, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer p.end()
			if p.Asked.Replacing != nil || old == "" {
				t.Errorf("the annotation %q counts", old)
			}
		})
	})
	t.Run("only why it was refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			f.settle()
			f.internal()
			waits(t, f.ensure(), problem.PollFirst)
			forge(f, func(r *replacement.Record) { r.Refused = "no" })
			f.settle()
			f.only()
		})
	})
}

// Failures that may pass count in a row, not over the life of the process.
func TestRefusalsAreCountedInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		for _, internal := range []string{"true", "false", "true"} {
			failing := 5 // as many as are not believed to be refusals
			f.driver.refuse = func(change cloud.Change) error {
				if change.After == nil || failing == 0 {
					return nil
				}
				failing--
				return errBroken
			}
			f.internal()
			f.svc.Annotations[keyInternal.Name] = internal
			for range 30 {
				f.ensure()
				time.Sleep(10 * time.Second)
			}
			if got := f.only().Scope == cloud.ScopeInternal; got != (internal == "true") || failing > 0 {
				t.Errorf("internal %t, want %s", got, internal)
			}
		}
	})
}

// What was proved about the targets of the balancer that serves is not forgotten when the new one
// is looked for.
func TestProofIsKeptDuringReplacement(t *testing.T) {
	f := withDriver(t, twins)
	f.settle()
	f.internal()
	waits(t, f.ensure(), problem.PollFirst)
	f.driver.balancers["lb-1"].Targets = []cloud.InstanceID{"x", "y"}
	f.machines.missing = map[cloud.InstanceID]bool{"x": true, "y": true}
	f.driver.refuse = func(change cloud.Change) error {
		if change.After != nil && !change.Before.Found {
			return errBroken
		}
		return nil
	}
	f.restart()
	fails(t, f.ensure(), "broken")
	f.targets("a", "b", "c")
}

// The plan says which of the two ways it will be, and so does the event of a blocked change.
func TestWayOfReplacement(t *testing.T) {
	for name, test := range map[string]struct {
		driver cloud.Account
		want   string
	}{
		"beside":      {twinDriver{fakeDriver: &fakeDriver{}}, "serves"},
		"not beside":  {twinDriver{&fakeDriver{}, "both have the address 192.0.2.7"}, "because both have the address 192.0.2.7: there is no service until the new one is made"},
		"not at all ": {&fakeDriver{}, "because this cloud cannot have both: there is no service until the new one is made"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.wrapped = test.driver
			f.restart()
			f.settle()
			f.svc.Annotations[keyInternal.Name] = "true"
			f.settle()
			if said := strings.Join(f.events.take(), "\n"); !strings.Contains(said, test.want) {
				t.Errorf("events:\n%s", said)
			}
			f.internal()
			p, err := f.plan(f.nodes...)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := p.Text(&out); err != nil || !strings.Contains(out.String(), test.want) {
				t.Errorf("plan %v:\n%s", err, &out)
			}
		})
	}
}

// Rule: crash at any call, run again: the Service is served all the time and one balancer remains.
func TestCrashDuringReplacementBeside(t *testing.T) {
	errCrash := errors.New("crash")
	for crashAt := range 16 {
		for _, unwritten := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				f := withDriver(t, twins)
				f.settle()
				f.driver.busy, f.driver.slow = 2, 2
				f.internal()
				calls := 0
				f.driver.fail = func(string, bool) error {
					if calls++; calls == crashAt+1 {
						return errCrash
					}
					return nil
				}
				for range 40 {
					annotations, status := maps.Clone(f.svc.Annotations), f.svc.Status.DeepCopy()
					err := f.ensure()
					if unwritten && calls == crashAt {
						// It died after the call, before it could write anything on the Service.
						f.svc.Annotations, f.svc.Status = annotations, *status
						f.restart()
					}
					if errors.Is(err, errCrash) {
						f.restart()
					}
					f.serving()
					time.Sleep(2 * time.Second)
				}
				if f.only().Scope != cloud.ScopeInternal || f.serving() != cloud.ScopeInternal {
					t.Errorf("crash at %d: balancers %v", crashAt, f.driver.balancers)
				}
				if _, ok := f.svc.Annotations[annotation.Replacement.Name]; ok {
					t.Errorf("crash at %d: the annotation is left", crashAt)
				}
			})
		}
	}
}
