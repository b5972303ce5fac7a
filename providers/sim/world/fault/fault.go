// Package fault makes answers of the API go wrong.
package fault

import (
	"slices"
	"strconv"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// Effect is how an answer goes wrong.
type Effect string

// The effects.
//
//	effect         done?  what the client sees
//	error          no     the status, code, body, Location and Retry-After of the fault
//	hang           no     nothing, until it gives up or the fault is removed
//	nonsense       no     200 and an HTML page
//	blank          no     200 and {}
//	lost           yes    the connection breaks without an answer
//	truncated      yes    the connection breaks within the body
//	empty          yes    lists have no items and look whole
//	short          yes    lists miss their second half and look whole
//	incomplete     yes    lists of machines miss a zone and say so
//	wrong_account  yes    what other credentials see: another account, nothing in it
//	late           no     success; the operation that the answer names fails with the code of the fault
const (
	EffectError        Effect = "error"
	EffectHang         Effect = "hang"
	EffectNonsense     Effect = "nonsense"
	EffectBlank        Effect = "blank"
	EffectLost         Effect = "lost"
	EffectTruncated    Effect = "truncated"
	EffectEmpty        Effect = "empty"
	EffectShort        Effect = "short"
	EffectIncomplete   Effect = "incomplete"
	EffectWrongAccount Effect = "wrong_account"
	EffectLate         Effect = "late"
)

var effects = []Effect{
	EffectError, EffectHang, EffectNonsense, EffectBlank, EffectLost,
	EffectTruncated, EffectEmpty, EffectShort, EffectIncomplete, EffectWrongAccount, EffectLate,
}

// Fault makes answers of the driver's half go wrong.
type Fault struct {
	// ID is given by the world.
	ID string `json:"id"`
	// Operation is the name of one, or "reads", "writes" or "*" (default).
	Operation string `json:"operation"`
	Effect    Effect `json:"effect"`
	// Skip lets that many matching calls pass first.
	Skip int `json:"skip"`
	// Times is how many calls are hit; until the fault is removed when 0.
	Times int `json:"times"`
	// Status, Code, Body, Location and RetryAfterSeconds go with EffectError, Code with EffectLate too. Code and body
	// have the API's usual values when empty.
	Status            int    `json:"status,omitempty"`
	Code              string `json:"code,omitempty"`
	Body              string `json:"body,omitempty"`
	Location          string `json:"location,omitempty"`
	RetryAfterSeconds int    `json:"retry_after_seconds,omitempty"`
	// Hit counts the calls that were hit.
	Hit int `json:"hit"`
}

// Operation is one call of the API.
type Operation struct {
	Name string
	Read bool
}

// Matches reports whether a fault's selector is about the operation.
func (o Operation) Matches(selector string) bool {
	switch selector {
	case "*":
		return true
	case "reads":
		return o.Read
	case "writes":
		return !o.Read
	}
	return o.Name == selector
}

// Set are the faults in force and the ones used up. It is safe for concurrent use.
type Set struct {
	// Operations are all that there are.
	Operations []Operation

	mu    sync.Mutex
	last  int
	armed []*Armed
}

// Add puts a fault in force and returns it with its id. The first one that matches a
// call hits it.
func (s *Set) Add(f Fault) (Fault, error) {
	if f.Operation == "" {
		f.Operation = "*"
	}
	if !slices.Contains(effects, f.Effect) {
		return Fault{}, api.Invalid("effect %q is none of %q", f.Effect, effects)
	}
	if !slices.ContainsFunc(s.Operations, func(o Operation) bool { return o.Matches(f.Operation) }) {
		return Fault{}, api.Invalid("operation %q is neither the name of one nor reads, writes or *", f.Operation)
	}
	if f.Effect == EffectError && (f.Status < 200 || f.Status > 599) {
		return Fault{}, api.Invalid("status %d must be in 200..599", f.Status)
	}
	if f.Skip < 0 || f.Times < 0 || f.Hit != 0 || f.ID != "" {
		return Fault{}, api.Invalid("skip and times can't be negative; id and hit are given by the world")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	f.ID = "fault-" + strconv.Itoa(s.last)
	s.armed = append(s.armed, &Armed{Fault: f, removed: make(chan struct{})})
	return f, nil
}

// Armed is a fault in force.
type Armed struct {
	Fault
	seen    int
	removed chan struct{} // closed with the fault, frees hung calls
}

// Remove removes one fault.
func (s *Set) Remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.armed {
		if f.ID == id {
			close(f.removed)
			s.armed = slices.Delete(s.armed, i, i+1)
			return nil
		}
	}
	return api.NotFound("fault", id)
}

// Clear removes all faults.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.armed {
		close(f.removed)
	}
	s.armed = nil
}

// List returns all faults.
func (s *Set) List() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Fault{}
	for _, f := range s.armed {
		list = append(list, f.Fault)
	}
	return list
}

// Take returns the fault that hits this call, one with the effect "" when none does.
func (s *Set) Take(o Operation) Armed {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.armed {
		if !o.Matches(f.Operation) || (f.Times > 0 && f.Hit >= f.Times) {
			continue
		}
		if f.seen++; f.seen <= f.Skip {
			continue
		}
		f.Hit++
		return *f
	}
	return Armed{}
}

// Failure is what EffectError answers.
func (f Fault) Failure() *api.Failure {
	code := f.Code
	if code == "" {
		code = api.UsualCode(f.Status)
	}
	return &api.Failure{Status: f.Status, Code: code, Message: "fault " + f.ID}
}

// Removed is closed when the fault is removed, which frees the calls that it hangs.
func (f Armed) Removed() <-chan struct{} { return f.removed }
