package world

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
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

// AddFault puts a fault in force and returns it with its id. The first one that matches a
// call hits it.
func (w *World) AddFault(f Fault) (Fault, error) {
	if f.Operation == "" {
		f.Operation = "*"
	}
	if !slices.Contains(effects, f.Effect) {
		return Fault{}, invalid("effect %q is none of %q", f.Effect, effects)
	}
	if !knownSelector(f.Operation) {
		return Fault{}, invalid("operation %q is neither the name of one nor reads, writes or *", f.Operation)
	}
	if f.Effect == EffectError && (f.Status < 200 || f.Status > 599) {
		return Fault{}, invalid("status %d must be in 200..599", f.Status)
	}
	if f.Skip < 0 || f.Times < 0 || f.Hit != 0 || f.ID != "" {
		return Fault{}, invalid("skip and times can't be negative; id and hit are given by the world")
	}
	return w.faults.add(f), nil
}

// ClearFaults removes all faults.
func (w *World) ClearFaults() { w.faults.clear() }

// Faults returns the faults in force and the ones used up.
func (w *World) Faults() []Fault { return w.faults.list() }

type faults struct {
	mu    sync.Mutex
	last  int
	armed []*armed
}

type armed struct {
	Fault
	seen    int
	removed chan struct{} // closed with the fault, frees hung calls
}

func (s *faults) add(f Fault) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	f.ID = "fault-" + strconv.Itoa(s.last)
	s.armed = append(s.armed, &armed{Fault: f, removed: make(chan struct{})})
	return f
}

func (s *faults) remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.armed {
		if f.ID == id {
			close(f.removed)
			s.armed = slices.Delete(s.armed, i, i+1)
			return nil
		}
	}
	return notFound("fault", id)
}

func (s *faults) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.armed {
		close(f.removed)
	}
	s.armed = nil
}

func (s *faults) list() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Fault{}
	for _, f := range s.armed {
		list = append(list, f.Fault)
	}
	return list
}

// take returns the fault that hits this call, one with the effect "" when none does.
func (s *faults) take(o operation) armed {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.armed {
		if !o.matches(f.Operation) || (f.Times > 0 && f.Hit >= f.Times) {
			continue
		}
		if f.seen++; f.seen <= f.Skip {
			continue
		}
		f.Hit++
		return *f
	}
	return armed{}
}

// failure is what EffectError answers.
func (f Fault) failure() *Failure {
	code := f.Code
	if code == "" {
		code = usualCode(f.Status)
	}
	return &Failure{Status: f.Status, Code: code, Message: "fault " + f.ID}
}

func usualCode(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return CodeUnauthorized
	case http.StatusNotFound:
		return CodeNotFound
	case http.StatusConflict:
		return CodeConflict
	case http.StatusTooManyRequests:
		return CodeThrottled
	}
	if status < http.StatusInternalServerError {
		return CodeInvalid
	}
	return CodeInternal
}
