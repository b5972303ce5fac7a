package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// blind lets the cloud of the fixture show none of its balancers, and returns what ends that.
func (f *fixture) blind() (see func()) {
	hidden := f.driver.balancers
	f.driver.balancers = nil
	return func() {
		if f.driver.balancers == nil {
			f.driver.balancers = map[string]*stored{}
		}
		maps.Copy(f.driver.balancers, hidden)
	}
}

// tries runs Ensure, or Delete where the Service goes, until the time is over or the run succeeds.
func (f *fixture) tries(d time.Duration, restarts bool) error {
	f.t.Helper()
	var err error
	for end := time.Now().Add(d); time.Now().Before(end); {
		if f.svc.DeletionTimestamp != nil {
			err = f.Delete(f.t.Context(), f.svc)
		} else {
			err = f.ensure()
		}
		pending, ok := errors.AsType[*Pending](err)
		if !ok {
			return err
		}
		if restarts {
			f.restart()
		}
		time.Sleep(pending.After)
	}
	return err
}

// What the cloud has just answered is there, whatever reads say, also for the next process.
func TestAbsenceAfterTheCreationIsNoReasonToCreate(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		for _, served := range []bool{false, true} {
			t.Run(fmt.Sprintf("restarts %t, served %t", restarts, served), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFixture(t)
					if f.driver.busy = 1; served {
						f.settle()
					} else {
						waits(t, f.ensure(), 7*time.Second)
					}
					if made := creation.Of(f.svc); made == nil || made.ID != "lb-1" || f.svc.Annotations[keyID.Name] != "lb-1" {
						t.Fatalf("recorded %v", f.svc.Annotations)
					}
					see := f.blind()
					pending, ok := errors.AsType[*Pending](f.tries(creation.Settling-time.Minute, restarts))
					if !ok || pending.Err == nil { // without a failure behind it, no event tells of it
						t.Fatalf("an absence was believed, or is not told: %v", pending)
					}
					f.wrote("create balancer")
					if said := strings.Join(f.events.take(), " "); !strings.Contains(said, "the cloud does not show balancer lb-1, which it made at 2000-01-01T00:00:00Z: nothing is made in its place before") {
						t.Errorf("events %s", said)
					}
					see()
					f.settle()
					f.only()
					f.wrote()
				})
			})
		}
	}
}

// One that somebody has deleted is made anew when the time is over.
func TestBalancerDeletedByHandIsMadeAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		clear(f.driver.balancers)
		if err := f.tries(2*creation.Settling, true); err != nil {
			t.Fatal(err)
		}
		f.only()
		f.wrote("create balancer", "create balancer")
		if made := creation.Of(f.svc); made == nil || made.ID != "lb-2" || f.svc.Annotations[keyID.Name] != "lb-2" {
			t.Errorf("recorded %v", f.svc.Annotations)
		}
	})
}

// A Service that goes is not let go while the cloud does not show what it has just made.
func TestDeletionWaitsForWhatWasJustMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		see := f.blind()
		leaving(f)
		f.events.take()
		if err := f.tries(time.Minute, true); err == nil {
			t.Fatal("an absence was believed")
		}
		if said := strings.Join(f.events.take(), " "); !strings.Contains(said, "the Service keeps its finalizer until") || strings.Contains(said, "anew") || strings.Contains(said, "unknown") {
			t.Errorf("events %s", said)
		}
		see()
		if err := f.tries(time.Minute, false); err != nil || len(f.driver.balancers) != 0 {
			t.Errorf("%v, %d balancers left", err, len(f.driver.balancers))
		}
	})
}

// The type of a Service goes and comes: what we deleted ourselves is no contradiction.
func TestOwnDeletionIsBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		for range 2 {
			if err := f.Delete(t.Context(), f.svc); err != nil {
				t.Fatal(err)
			}
		}
		f.svc.Status = corev1.ServiceStatus{}
		if err := f.ensure(); err != nil {
			t.Fatal(err)
		}
		f.wrote("create balancer", "delete balancer", "create balancer")
	})
}

// A creation that failed is made anew although its id is recorded.
func TestFailedCreationIsMadeAnewWithItsRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.busy = 1
		waits(t, f.ensure(), 7*time.Second)
		f.only().failed = "no room"
		for len(f.driver.balancers) > 0 {
			_ = f.ensure()
			time.Sleep(time.Second)
		}
		if id, made := f.svc.Annotations[keyID.Name], creation.Of(f.svc); id != "" || made == nil || made.ID != "" {
			t.Errorf("recorded %v", f.svc.Annotations)
		}
		f.restart()
		f.settle()
		f.wrote("create balancer", "delete balancer", "create balancer")
	})
}

// Nobody can have us wait for ever, or read anything, by a text on a Service.
func TestForgedCreations(t *testing.T) {
	for _, made := range []creation.Record{
		{At: time.Now().Add(100 * time.Hour), ID: "lb-7"}, {At: time.Now(), ID: "../droplets"}, {At: time.Now()},
	} {
		f := newFixture(t)
		maps.Copy(f.svc.Annotations, made.Annotation())
		f.settle()
		f.wrote("create balancer")
	}
}

// An answer that is about somebody else's balancer is an error, and nothing of it is recorded.
func TestAnswerAboutAnotherBalancer(t *testing.T) {
	for name, tags := range map[string][]string{"another Service": {"cluster=prod", "uid=other"}, "another cluster": {"cluster=dev", "uid=0123-4567"}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.wrapped = mistaken{f.driver, tags}
			f.restart()
			fails(t, f.ensure(), "the cloud answered with balancer lb-9")
			if id := f.svc.Annotations[keyID.Name]; id != "" || len(f.svc.Status.LoadBalancer.Ingress) > 0 || creation.Of(f.svc) != nil {
				t.Errorf("recorded %v, %v", f.svc.Annotations, f.svc.Status)
			}
			f.wrapped = nil
			f.restart()
			f.settle()
			f.svc.Spec.Ports[0].Port = 81
			f.wrapped = mistaken{f.driver, tags}
			f.restart()
			fails(t, f.ensure(), "the cloud answered with balancer lb-9")
			if ip := f.svc.Status.LoadBalancer.Ingress[0].IP; ip != "192.0.2.1" {
				t.Errorf("the status has %s", ip)
			}
		})
	}
}

// mistaken is a cloud that answers each change with somebody else's balancer.
type mistaken struct {
	*fakeDriver
	tags []string
}

func (d mistaken) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	p, err := d.fakeDriver.Apply(ctx, change)
	d.put("lb-9", &stored{}, change)
	d.balancers["lb-9"].OwnershipTags = d.tags
	o := d.observed("lb-9")
	delete(d.balancers, "lb-9")
	p.Observed = &o
	return p, err
}

// The minute of a duplicate passes although no process lives for a minute.
func TestMinuteOfADuplicateOutlivesTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 1)
		f := all[0]
		f.settle()
		f.place("lb-9", "other", "cluster=prod", "uid=uid-0")
		f.svc.Annotations[annotation.Duplicates.Name] = "forged"
		for range 4 {
			f.restart()
			f.age()
			if err := f.ensure(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(40 * time.Second)
		}
		if f.driver.balancers["lb-9"] != nil || len(s.balancers) != 1 {
			t.Errorf("balancers %v, recorded %v", s.balancers, f.svc.Annotations)
		}
		if text, ok := f.svc.Annotations[annotation.Duplicates.Name]; ok {
			t.Errorf("recorded still: %s", text)
		}
	})
}

// What is written about duplicates leads to none: it is neither read, nor deleted, nor said.
func TestForgedDuplicates(t *testing.T) {
	for name, uid := range map[string]string{"another Service's": "other", "its own, that nothing shows": "0123-4567"} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.settle()
			f.age()
			f.place("lb-9", "victim", "cluster=prod", "uid="+uid)
			f.svc.Annotations[annotation.Duplicates.Name] = (&state.Duplicates{IDs: []string{"lb-9"}, Since: time.Now().Add(-time.Hour)}).Text()
			f.restart()
			f.events.take()
			f.driver.writes, f.driver.observes = nil, 0
			f.settle()
			f.wrote()
			f.said()
			if f.driver.observes != 1 {
				t.Errorf("%d reads, want that of its own balancer", f.driver.observes)
			}
		})
	}
}

// A second balancer that is known is not forgotten by a run in which no list shows it.
func TestDuplicatesOutliveARunWithoutAList(t *testing.T) {
	for name, edit := range map[string]func(*bulkLister, *fixture){
		"a change is made, after a read by id": func(_ *bulkLister, f *fixture) { f.svc.Spec.Ports[0].Port = 81 },
		"the list fails":                       func(s *bulkLister, _ *fixture) { s.broken = true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, all := listed(t, 1)
				f := all[0]
				f.settle()
				f.place("lb-9", "other", "cluster=prod", "uid=uid-0")
				f.svc.Annotations[annotation.Duplicates.Name] = "forged"
				f.restart()
				f.age()
				if err := f.ensure(); err != nil {
					t.Fatal(err)
				}
				before := f.svc.Annotations[annotation.Duplicates.Name]
				f.restart()
				edit(s, f)
				if err := f.ensure(); err != nil {
					t.Fatal(err)
				}
				if text := f.svc.Annotations[annotation.Duplicates.Name]; before == "forged" || text != before {
					t.Errorf("recorded %q, before %q", text, before)
				}
				s.broken = false
				time.Sleep(state.DuplicateWait)
				for range 2 {
					f.settle()
				}
				if _, ok := f.svc.Annotations[annotation.Duplicates.Name]; ok || f.driver.balancers["lb-9"] != nil {
					t.Errorf("it is there still; recorded %v", f.svc.Annotations)
				}
			})
		})
	}
}

// A second balancer goes while a target stays refused.
func TestDuplicateBesideARefusedTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, all := listed(t, 1)
		f := all[0]
		f.refuses(true, never, "b")
		f.brought()
		f.restart()
		f.age()
		f.place("lb-9", "other", "cluster=prod", "uid=uid-0")
		f.svc.Annotations[annotation.Duplicates.Name] = "forged"
		for range 12 {
			err := f.ensure()
			wait := f.again
			if pending, ok := errors.AsType[*Pending](err); ok {
				wait = pending.After
			}
			if wait == 0 {
				t.Fatalf("the refused target is forgotten: %v", err)
			}
			time.Sleep(wait)
		}
		if _, ok := f.svc.Annotations[annotation.Duplicates.Name]; ok || f.driver.balancers["lb-9"] != nil {
			t.Errorf("it is there still; recorded %v", f.svc.Annotations)
		}
	})
}

func TestSoonest(t *testing.T) {
	for _, test := range []struct {
		waits []time.Duration
		want  time.Duration
	}{{nil, 0}, {[]time.Duration{0, -1}, 0}, {[]time.Duration{3, 0, 2, -1, 5}, 2}} {
		if got := soonest(test.waits...); got != test.want {
			t.Errorf("%v: %v, want %v", test.waits, got, test.want)
		}
	}
}

// Where no annotation has the id, the Service tells before its first creation that one may be there.
func TestCreationIsAnnouncedWithoutAnIDAnnotation(t *testing.T) {
	descriptor := fakeDescriptor
	descriptor.IDAnnotation = ""
	f := newFixture(t)
	announced := 0
	f.start(run.Live, descriptor)
	f.record = func(_ context.Context, svc *corev1.Service, annotations map[string]string) error {
		if announced++; len(f.driver.balancers) > 0 {
			t.Error("it was made before")
		}
		maps.Copy(svc.Annotations, annotations)
		return nil
	}
	f.settle()
	f.settle()
	if made := creation.Of(f.svc); announced != 1 || made == nil || made.ID != "" {
		t.Errorf("announced %d times, recorded %v", announced, f.svc.Annotations)
	}
	f.wrote("create balancer")
	clear(f.driver.balancers)
	f.age()
	f.settle()
	if f.wrote("create balancer"); announced != 2 {
		t.Errorf("announced %d times; the first one does not count any more", announced)
	}
	g := newFixture(t)
	g.start(run.Live, descriptor)
	g.record = func(context.Context, *corev1.Service, map[string]string) error { return errBroken }
	fails(t, g.ensure(), "broken")
	g.wrote()
}
