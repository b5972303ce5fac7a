package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// What bulklist.Lists promise.
const (
	bulkListAge  = 2 * time.Second
	manyServices = 3
)

// bulkLister is a fake cloud that is also observed from what it was at the time of a bulk list.
type bulkLister struct {
	*fakeDriver
	lists int
	// blank bulk lists hold nothing, whatever there is.
	blank bool
	// broken bulk lists fail.
	broken bool
	// hangs, when not nil, is what the next bulk list waits for.
	hangs chan struct{}
}

func (s *bulkLister) ListBalancers(context.Context) (cloud.BulkList, error) {
	if s.hangs != nil {
		<-s.hangs
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	then := &fakeDriver{isList: true, balancers: map[string]*stored{}}
	for id, b := range s.balancers {
		if b.busy > 0 {
			b.busy--
		}
		if !s.blank {
			then.balancers[id] = &stored{Balancer: b.Clone(), busy: b.busy}
		}
	}
	if s.broken {
		return nil, errBroken
	}
	return then, nil
}

// listed returns fixtures of as many Services that share one Manager.
func listed(t *testing.T, services int) (*bulkLister, []*fixture) {
	var all []*fixture
	s := &bulkLister{fakeDriver: &fakeDriver{}}
	for i := range services {
		f := newFixture(t)
		f.svc.UID = types.UID(fmt.Sprintf("uid-%d", i))
		f.svc.Annotations[keyName.Name] = fmt.Sprintf("web-%d", i)
		f.driver, f.Manager = s.fakeDriver, nil
		if i == 0 {
			f.wrapped = s
			f.restart()
		} else {
			f.Manager = all[0].Manager
		}
		all = append(all, f)
	}
	return s, all
}

// share settles all Services twice; the second time they share a bulk list that shows every balancer.
func share(all []*fixture) {
	for _, wait := range []time.Duration{bulkListAge, time.Millisecond} {
		for _, f := range all {
			f.settle()
		}
		time.Sleep(wait)
	}
}

func TestManyServicesShareABulkList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 50)
		s.busy = 1
		for _, f := range all {
			waits(t, f.ensure(), 7*time.Second)
		}
		if s.observes != manyServices-1 || s.lists != 1 || len(s.balancers) != 50 {
			t.Errorf("creation: %d observations, %d lists, %d balancers", s.observes, s.lists, len(s.balancers))
		}
		time.Sleep(7 * time.Second)
		for _, f := range all {
			f.settle()
		}
		if s.observes != 2*(manyServices-1) || s.lists != 2 {
			t.Errorf("then: %d observations, %d lists", s.observes, s.lists)
		}
	})
}

// A balancer that takes minutes is worth no list of its own for each look.
func TestListAge(t *testing.T) {
	for pending, want := range map[time.Duration]time.Duration{0: 250 * time.Millisecond, 10 * time.Second: 250 * time.Millisecond, 80 * time.Second: bulkListAge} {
		if got := listAge(pending); got != want {
			t.Errorf("pending for %s: %s, want %s", pending, got, want)
		}
	}
}

// A list that is seconds old would show a balancer pending once more, although it is done.
func TestPendingBalancerIsLookedAtInAYoungBulkList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 4)
		s.busy = 1
		for _, f := range all {
			waits(t, f.ensure(), 7*time.Second)
		}
		time.Sleep(7 * time.Second)
		for _, b := range s.balancers {
			b.busy = 2
		}
		for looks, wait := range []time.Duration{300 * time.Millisecond, bulkListAge} {
			s.lists = 0
			for _, f := range all[1:] {
				if err := f.ensure(); looks == 0 && err == nil || looks == 1 && err != nil {
					t.Errorf("look %d: %v", looks, err)
				}
			}
			if s.lists != 1 {
				t.Errorf("look %d: %d lists", looks, s.lists)
			}
			time.Sleep(wait)
		}
	})
}

func TestBulkListIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 4)
		for _, f := range all {
			f.settle()
		}
		time.Sleep(bulkListAge)
		s.lists = 0
		for _, f := range all {
			f.settle()
		}
		if s.lists != 1 {
			t.Fatalf("%d lists for Services that are looked at together", s.lists)
		}
		all[3].svc.Annotations[keyAlgorithm.Name] = "random"
		time.Sleep(time.Millisecond)
		all[3].settle()
		all[3].settle()
		if s.lists != 2 {
			t.Errorf("%d lists, want another one after a change", s.lists)
		}
		time.Sleep(time.Second)
		all[0].settle()
		if s.lists != 2 {
			t.Errorf("%d lists, want the young one to serve", s.lists)
		}
	})
}

// A list that lacks a balancer proves nothing.
func TestBulkListNeverProvesThatABalancerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 6)
		for _, f := range all {
			f.settle()
		}
		s.blank, s.writes = true, nil
		time.Sleep(bulkListAge)
		for _, f := range all {
			f.settle()
			if _, exists, err := f.Get(t.Context(), f.svc); !exists || err != nil {
				t.Fatalf("Get() = %v, %v", exists, err)
			}
		}
		if len(s.writes) > 0 {
			t.Errorf("writes: %q", s.writes)
		}
	})
}

// With three Services about, a bulk list that fails or hangs costs nobody a thing.
func TestBrokenBulkListsAreDoneWithout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 10)
		s.broken = true
		for _, f := range all {
			f.settle()
		}
		if s.lists != 1 || len(s.balancers) != 10 {
			t.Errorf("%d lists, %d balancers; want 1 and 10", s.lists, len(s.balancers))
		}
		time.Sleep(bulkListAge)
		s.broken, s.hangs = false, make(chan struct{})
		defer close(s.hangs)
		go func() {
			for _, f := range all[7:] {
				_ = f.UpdateTargets(t.Context(), f.svc, f.nodes) // the bulk list of the last one hangs
			}
		}()
		synctest.Wait()
		began := time.Now()
		for _, f := range all[:manyServices] {
			f.settle()
		}
		if took := time.Since(began); took > 10*time.Second { // a second for each Service
			t.Errorf("it took %v", took)
		}
	})
}

// Where a driver finds balancers in the same list that the common one is, Services of which nothing is known are told why that fails. Those that were
// found before go on by themselves, after a restart too, and so do those that give their balancers up.
func TestNobodyReadsABrokenListByHimself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		descriptor := fakeDescriptor
		descriptor.Capabilities.FindsInLists, descriptor.IDAnnotation = true, ""
		s, all := listed(t, 10)
		start := func() {
			all[0].start(run.Live, descriptor)
			for _, f := range all {
				f.Manager = all[0].Manager
			}
		}
		start()
		s.broken = true
		failed := 0
		for _, f := range all {
			if err := f.ensure(); errors.Is(err, errBroken) {
				failed++
			}
		}
		if want := len(all) - (manyServices - 1); failed != want || s.observes >= len(all) {
			t.Errorf("%d Services were told of the broken list and %d looks went to the cloud, want %d told", failed, s.observes, want)
		}
		time.Sleep(bulkListAge)
		s.broken = false
		for _, f := range all {
			f.settle()
		}
		start()
		share(all)
		time.Sleep(bulkListAge)
		s.broken = true
		for _, f := range all {
			if err := f.UpdateTargets(t.Context(), f.svc, f.nodes[:1]); err != nil {
				t.Errorf("a Service whose balancer was found before: %v", err)
			}
		}
		time.Sleep(bulkListAge)
		start()
		for _, f := range all {
			f.svc.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			if err := f.Delete(t.Context(), f.svc); errors.Is(err, errBroken) {
				t.Errorf("a Service that goes: %v", err)
			}
		}
	})
}

// What somebody changed after the bulk list is neither undone nor changed twice.
func TestWholeChangesAreMadeToWhatWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 4)
		share(all)
		f := all[3]
		s.writes, s.lists, s.observes = nil, 0, 0
		f.nodes = f.nodes[:2]
		f.settle()
		f.wrote("delete target c")
		if s.lists != 0 || s.observes != 0 {
			t.Errorf("targets: %d lists, %d observations; want none more", s.lists, s.observes)
		}
		time.Sleep(time.Millisecond)
		f.settle()
		f.svc.Annotations[keyAlgorithm.Name] = "random"
		s.balancers[f.svc.Annotations[keyID.Name]].ProviderFields["algorithm"] = "random"
		f.settle()
		f.wrote()
		if s.lists != 1 || s.observes != 1 {
			t.Errorf("%d lists, %d observations; want a reading besides the bulk list", s.lists, s.observes)
		}
	})
}

// A balancer that was taken over by another Service is not deleted with the first one.
func TestDeleteLeavesWhatWasTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 5)
		a, b := all[3], all[4]
		for _, f := range all[:4] {
			f.settle()
		}
		time.Sleep(time.Millisecond)
		b.svc.Name = "heir"
		b.owners.Adoption, _ = safety.ParseAdoption([]string{a.svc.Annotations[keyID.Name] + "=" + b.svc.Namespace + "/" + b.svc.Name})
		b.svc.Annotations[annotation.Adopt.Name] = a.svc.Annotations[keyID.Name]
		b.settle()
		s.writes = nil
		if _, exists, err := a.Get(t.Context(), a.svc); exists || err != nil {
			t.Errorf("Get() = %v, %v for a balancer of another Service", exists, err)
		}
		if err := a.Delete(t.Context(), a.svc); err != nil {
			t.Fatal(err)
		}
		a.wrote()
	})
}

// A Service that stops being a load balancer and becomes one again gets another one.
func TestDeletedBalancerStaysDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 4)
		share(all)
		f := all[3]
		waits(t, f.Delete(t.Context(), f.svc), confirmAfter)
		f.settle()
		if id := f.svc.Annotations[keyID.Name]; s.balancers[id] == nil {
			t.Errorf("balancer %s is none of the %d there are", id, len(s.balancers))
		}
	})
}

// A cloud that lists badly and only says that it deletes.
func TestDeleteLooksForTheBalancerItself(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.driver.undead, f.driver.hidden = 1, true
	waits(t, f.Delete(t.Context(), f.svc), problem.PollFirst)
	if err := f.Delete(t.Context(), f.svc); err != nil || len(f.driver.balancers) != 0 {
		t.Errorf("Delete() = %v, %d balancers left", err, len(f.driver.balancers))
	}
}

// Get sees a balancer that is to be adopted; Delete must not take it for ours.
func TestDeleteLeavesWhatWasNeverAdopted(t *testing.T) {
	f := newFixture(t, annotated(annotation.Adopt.Name, "lb-9"))
	f.adopts("lb-9=shop/web")
	f.place("lb-9", "other", "uid=of-another")
	if _, exists, err := f.Get(t.Context(), f.svc); !exists || err != nil {
		t.Fatalf("Get() = %v, %v", exists, err)
	}
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.wrote()
}

// What another process made after the bulk list is not in it.
func TestNewServiceIsNotDecidedByAnOlderBulkList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := listed(t, 4)
		for _, f := range all[:3] {
			f.settle()
		}
		time.Sleep(time.Millisecond)
		all[3].place("lb-9", "web-3", "uid="+string(all[3].svc.UID))
		all[3].settle()
		if len(s.balancers) != 4 || s.lists != 2 {
			t.Errorf("%d balancers, %d lists; want 4 and 2", len(s.balancers), s.lists)
		}
	})
}

// A Service that names another balancer than the one with its ownership tags hears of both when it gets the one.
func TestAdoptionNamesTheSecondOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, all := listed(t, manyServices+1)
		for _, f := range all[1:] {
			f.settle()
		}
		f := all[0]
		f.place("lb-98", "web-0", "cluster=prod", "uid=uid-0")
		f.place("lb-99", "legacy")
		f.svc.Annotations[keyID.Name] = "lb-99"
		time.Sleep(bulkListAge)
		for _, other := range all[1:] {
			other.settle()
		}
		f.events.take()
		if err := f.ensure(); err != nil {
			t.Fatal(err)
		}
		const want = "balancer lb-99 is this Service's now; lb-98 has its ownership tags too"
		if said := f.events.take(); !slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, want) }) {
			t.Errorf("said %q, want %q", said, want)
		}
	})
}
