package transport

import (
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// maxKept bounds what is kept of one API, in bytes. What does not fit is asked for again.
	maxKept = 4 << 20
	// keptWeight is what an answer counts beside its body.
	keptWeight = 4 << 10
)

// store holds the answers of one API.
type store struct {
	api cloud.API

	mu   sync.Mutex
	kept map[[sha256.Size]byte]*keptAnswer
	size int
	// doubted is when something was last absent. An answer that was asked for before is not kept.
	doubted time.Time
}

func newStore(api cloud.API) *store {
	return &store{api: api, kept: map[[sha256.Size]byte]*keptAnswer{}}
}

// find returns what is kept there, nil for nothing.
func (s *store) find(at [sha256.Size]byte) *keptAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(time.Now())
	return s.kept[at]
}

// put keeps the answer to a request that was sent at that time.
func (s *store) put(key requestKey, asked time.Time, kept *keptAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, age := key.request, s.api.Keep
	if kept.answer.StatusCode == http.StatusUnauthorized {
		at, age = key.credentials, s.api.Refused
	} else if !asked.After(s.doubted) {
		return
	}
	s.remove(at)
	if s.size += kept.weight(); s.size > maxKept {
		s.size -= kept.weight()
		return
	}
	kept.until, s.kept[at] = asked.Add(age), kept
}

// forget drops the answer to a request. A refusal of its credentials stays.
func (s *store) forget(key requestKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(key.request)
}

// doubt drops all answers, but no refusals of credentials.
func (s *store) doubt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubted = time.Now()
	for at, kept := range s.kept {
		if kept.answer.StatusCode != http.StatusUnauthorized {
			s.remove(at)
		}
	}
}

func (s *store) expire(now time.Time) {
	for at, kept := range s.kept {
		if !now.Before(kept.until) {
			s.remove(at)
		}
	}
}

func (s *store) remove(at [sha256.Size]byte) {
	if kept := s.kept[at]; kept != nil {
		s.size -= kept.weight()
		delete(s.kept, at)
	}
}

func (k *keptAnswer) weight() int { return len(k.body) + keptWeight }
