package loadbalancer

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// surveyAge is how old a survey may be. It is also how long one is waited for, and how
	// long none is tried after one that failed.
	surveyAge = 2 * time.Second
	// crowd is how many Services looked at within surveyAge are worth a survey.
	crowd = 3
)

// surveys share one reading of all balancers among runs that come close together, as after
// a restart or while many balancers are being created.
//
//	Services in the last 2 s  an observation reads
//	fewer than 3              the balancer it is about
//	3 or more                 all balancers, once for everybody
//
// They only save requests: where one fails or is slow, each Service reads for itself.
type surveys struct {
	// reader is nil where the cloud has no surveys.
	reader cloud.Surveyor
	turn   chan struct{} // held while a survey is read

	mu     sync.Mutex
	recent map[types.UID]time.Time // when each Service was last looked at
	latest cloud.Survey
	began  time.Time // of latest
	failed time.Time // when the last one failed
	// outdated is when a balancer was last deleted or taken over: older surveys show it to
	// the wrong Service.
	outdated time.Time
}

func newSurveys(reader cloud.Surveyor) *surveys {
	return &surveys{reader: reader, turn: make(chan struct{}, 1), recent: map[types.UID]time.Time{}}
}

// get returns a survey that began no earlier than after, nil when it is not worth one.
func (s *surveys) get(ctx context.Context, service types.UID, after time.Time) cloud.Survey {
	if s.reader == nil || !s.crowded(service, time.Now()) {
		return nil
	}
	patience := time.NewTimer(surveyAge)
	defer patience.Stop()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-patience.C:
		return nil
	case <-ctx.Done():
		return nil
	}
	now := time.Now()
	if survey, settled := s.known(now, after); settled {
		return survey
	}
	latest, err := s.reader.Survey(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed = time.Now()
		return nil
	}
	s.latest, s.began = latest, now
	return latest
}

// crowded notes that the Service is looked at and reports whether enough others are.
func (s *surveys) crowded(service types.UID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent[service] = now
	maps.DeleteFunc(s.recent, func(_ types.UID, at time.Time) bool { return now.Sub(at) >= surveyAge })
	if now.Sub(s.began) >= surveyAge {
		s.latest = nil // it may be large
	}
	return len(s.recent) >= crowd
}

// known returns what there is to know without another survey, and whether that is enough: the
// latest survey, or nothing when one has just failed.
func (s *surveys) known(now, after time.Time) (survey cloud.Survey, settled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.failed.IsZero() && now.Sub(s.failed) < surveyAge {
		return nil, true
	}
	fresh := s.latest != nil && now.Sub(s.began) < surveyAge && !s.began.Before(after) && s.began.After(s.outdated)
	return s.latest, fresh
}

// expire makes what has been read so far useless.
func (s *surveys) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outdated = time.Now()
}

// observe reads the balancer of the Spec, from a survey where that is enough:
//
//	the Service      a survey may have begun  and proves that the balancer
//	has a balancer   after our last change    is there, never that it is gone
//	has none so far  during this run          is there, or is not
func (p *pass) observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	after := p.began
	if p.expected() {
		after = p.memory.wrote
	}
	if spec.Survey = p.manager.surveys.get(ctx, p.service.UID, after); spec.Survey != nil {
		observed, err := p.watch(ctx, spec)
		if err != nil || observed.Found || !p.expected() {
			p.surveyed = true
			return observed, err
		}
	}
	return p.read(ctx, spec)
}

// read reads the balancer of the Spec itself.
func (p *pass) read(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	spec.Survey, p.surveyed = nil, false
	return p.watch(ctx, spec)
}

// watch observes with what was observed before at hand.
func (p *pass) watch(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	spec.Last = p.memory.last
	observed, err := p.manager.cloud.Balancers.Observe(ctx, spec)
	if p.memory.last = nil; err == nil && observed.Found {
		p.memory.last = &observed
	}
	return observed, err
}
