package loadbalancer

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// surveyAge is how old a survey may be: no older than the shortest poll.
	surveyAge = pollFirst
	// crowd is how many Services looked at within surveyAge are worth a survey.
	crowd = 3
)

// surveys share one reading of all balancers among runs that come close together, as after
// a restart or while many balancers are being created.
//
//	Services in the last 2 s  an observation reads
//	fewer than 3              the balancer it is about
//	3 or more                 all balancers, once for everybody
type surveys struct {
	// reader is nil where the cloud has no surveys.
	reader cloud.Surveyor

	mu     sync.Mutex
	recent map[types.UID]time.Time // when each Service was last looked at

	turn   chan struct{} // held while a survey is read
	began  time.Time     // of latest
	latest cloud.Survey
}

func newSurveys(reader cloud.Surveyor) *surveys {
	return &surveys{reader: reader, recent: map[types.UID]time.Time{}, turn: make(chan struct{}, 1)}
}

// get returns a survey that began after that time, nil when it is not worth one.
func (s *surveys) get(ctx context.Context, service types.UID, after time.Time) (cloud.Survey, error) {
	if s.reader == nil || !s.crowded(service, time.Now()) {
		return nil, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the survey of balancers: %w", context.Cause(ctx))
	}
	now := time.Now()
	if s.latest != nil && !s.began.Before(after) && now.Sub(s.began) < surveyAge {
		return s.latest, nil
	}
	latest, err := s.reader.Survey(ctx)
	if err != nil {
		return nil, err
	}
	s.latest, s.began = latest, now
	return latest, nil
}

// crowded notes that the Service is looked at and reports whether enough others are.
func (s *surveys) crowded(service types.UID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent[service] = now
	maps.DeleteFunc(s.recent, func(_ types.UID, at time.Time) bool { return now.Sub(at) >= surveyAge })
	return len(s.recent) >= crowd
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
	survey, err := p.manager.surveys.get(ctx, p.service.UID, after)
	if err != nil {
		return cloud.Observed{}, err
	}
	if survey != nil {
		spec.Survey = survey
		observed, err := p.manager.cloud.Balancers.Observe(ctx, spec)
		if err != nil || observed.Found || !p.expected() {
			return observed, err
		}
	}
	return p.read(ctx, spec)
}

// read reads the balancer of the Spec itself.
func (p *pass) read(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	spec.Survey = nil
	return p.manager.cloud.Balancers.Observe(ctx, spec)
}
