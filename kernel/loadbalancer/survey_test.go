package loadbalancer

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// surveyor is a fake cloud that is also observed from what it was at the time of a survey.
type surveyor struct {
	*fakeDriver
	surveys int
	// blank surveys hold nothing, whatever there is.
	blank bool
	// broken surveys fail.
	broken bool
}

func (s *surveyor) Survey(context.Context) (cloud.Survey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.surveys++
	then := &fakeDriver{balancers: map[string]*stored{}}
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

func (s *surveyor) Observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	if then, ok := spec.Survey.(*fakeDriver); ok {
		return then.Observe(ctx, spec)
	}
	return s.fakeDriver.Observe(ctx, spec)
}

// surveyed returns fixtures of as many Services that share one Manager.
func surveyed(t *testing.T, services int) (*surveyor, []*fixture) {
	var all []*fixture
	s := &surveyor{fakeDriver: &fakeDriver{}}
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

// share settles all Services twice; the second time they share a survey that shows every balancer.
func share(all []*fixture) {
	for _, wait := range []time.Duration{surveyAge, time.Millisecond} {
		for _, f := range all {
			f.settle()
		}
		time.Sleep(wait)
	}
}

func TestManyServicesShareASurvey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := surveyed(t, 50)
		s.busy = 1
		for _, f := range all {
			waits(t, f.ensure(), 7*time.Second)
		}
		if s.observes != crowd-1 || s.surveys != 1 || len(s.balancers) != 50 {
			t.Errorf("creation: %d observations, %d surveys, %d balancers", s.observes, s.surveys, len(s.balancers))
		}
		time.Sleep(7 * time.Second)
		for _, f := range all {
			f.settle()
		}
		if s.observes != 2*(crowd-1) || s.surveys != 2 {
			t.Errorf("then: %d observations, %d surveys", s.observes, s.surveys)
		}
	})
}

func TestSurveyIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := surveyed(t, 4)
		for _, f := range all {
			f.settle()
		}
		time.Sleep(surveyAge)
		s.surveys = 0
		for _, f := range all {
			f.settle()
		}
		if s.surveys != 1 {
			t.Fatalf("%d surveys for one crowd", s.surveys)
		}
		all[3].svc.Annotations[keyAlgorithm.Name] = "random"
		time.Sleep(time.Millisecond)
		all[3].settle()
		all[3].settle()
		if s.surveys != 2 {
			t.Errorf("%d surveys, want another one after a change", s.surveys)
		}
		time.Sleep(time.Second)
		all[0].settle()
		if s.surveys != 2 {
			t.Errorf("%d surveys, want the young one to serve", s.surveys)
		}
	})
}

// A list that lacks a balancer proves nothing.
func TestSurveyNeverProvesThatABalancerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := surveyed(t, 6)
		for _, f := range all {
			f.settle()
		}
		s.blank, s.writes = true, nil
		time.Sleep(surveyAge)
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

// With three Services about, a survey that fails or hangs costs nobody a thing.
func TestBrokenSurveysAreDoneWithout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := surveyed(t, 10)
		s.broken = true
		for _, f := range all {
			f.settle()
		}
		if s.surveys != 1 || len(s.balancers) != 10 {
			t.Errorf("%d surveys, %d balancers; want 1 and 10", s.surveys, len(s.balancers))
		}
		time.Sleep(surveyAge)
		all[0].surveys.turn <- struct{}{} // somebody's survey hangs
		began := time.Now()
		for _, f := range all[:crowd] {
			f.settle()
		}
		if took := time.Since(began); took > crowd*surveyAge {
			t.Errorf("it took %v", took)
		}
	})
}

// What somebody changed after the survey is neither undone nor changed twice.
func TestWholeChangesAreMadeToWhatWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := surveyed(t, 4)
		share(all)
		f := all[3]
		s.writes, s.surveys, s.observes = nil, 0, 0
		f.nodes = f.nodes[:2]
		f.settle()
		f.wrote("delete target c")
		if s.surveys != 0 || s.observes != 0 {
			t.Errorf("targets: %d surveys, %d observations; want none more", s.surveys, s.observes)
		}
		time.Sleep(time.Millisecond)
		f.settle()
		f.svc.Annotations[keyAlgorithm.Name] = "random"
		s.balancers[f.svc.Annotations[keyID.Name]].Extras["algorithm"] = "random"
		f.settle()
		f.wrote()
		if s.surveys != 1 || s.observes != 1 {
			t.Errorf("%d surveys, %d observations; want a reading besides the survey", s.surveys, s.observes)
		}
	})
}

// A balancer that was taken over by another Service is not deleted with the first one.
func TestDeleteNeverBelievesASurvey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := surveyed(t, 5)
		a, b := all[3], all[4]
		for _, f := range all[:4] {
			f.settle()
		}
		time.Sleep(time.Millisecond)
		b.svc.Name = "heir"
		b.Manager.adoption, _ = safety.ParseAdoption([]string{a.svc.Annotations[keyID.Name] + "=" + key(b.svc)})
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
		s, all := surveyed(t, 4)
		share(all)
		f := all[3]
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Fatal(err)
		}
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
	waits(t, f.Delete(t.Context(), f.svc), pollFirst)
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

// What another process made after the survey is not in it.
func TestNewServiceIsNotDecidedByAnOlderSurvey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := surveyed(t, 4)
		for _, f := range all[:3] {
			f.settle()
		}
		time.Sleep(time.Millisecond)
		all[3].place("lb-9", "web-3", "uid="+string(all[3].svc.UID))
		all[3].settle()
		if len(s.balancers) != 4 || s.surveys != 2 {
			t.Errorf("%d balancers, %d surveys; want 4 and 2", len(s.balancers), s.surveys)
		}
	})
}
