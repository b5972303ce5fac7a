package fault

import (
	"net/http"
	"strconv"
	"sync"
)

// Set holds the faults in force. The zero value is empty and ready.
type Set struct {
	mu     sync.Mutex
	next   int
	faults []*armed
}

type armed struct {
	Fault
	seen, hit int
}

// Active is a fault with the number of requests it has hit.
type Active struct {
	Fault
	Hit int `json:"hit"`
}

// Add puts a fault in force and returns its id.
func (s *Set) Add(f Fault) (string, error) {
	if err := f.Validate(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	f.ID = strconv.Itoa(s.next)
	s.faults = append(s.faults, &armed{Fault: f})
	return f.ID, nil
}

// Remove takes a fault away and says whether it was there.
func (s *Set) Remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.ID == id {
			s.faults = append(s.faults[:i], s.faults[i+1:]...)
			return true
		}
	}
	return false
}

// Clear takes all faults away.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// List returns all faults, used up ones too, in the order they were added.
func (s *Set) List() []Active {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Active, len(s.faults))
	for i, f := range s.faults {
		list[i] = Active{Fault: f.Fault, Hit: f.hit}
	}
	return list
}

// Take returns the first fault that hits this request and counts it, or nil.
// Faults behind the first one that hits don't count the request.
func (s *Set) Take(r *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if !f.Matches(r) || (f.Times > 0 && f.hit >= f.Times) {
			continue
		}
		if f.seen++; f.seen <= f.Skip {
			continue
		}
		f.hit++
		taken := f.Fault
		return &taken
	}
	return nil
}
