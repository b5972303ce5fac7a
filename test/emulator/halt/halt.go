// Package halt stops the world at one exact API call, so that a test can kill
// the caller before or after every single request it makes.
package halt

import (
	"fmt"
	"sync"
)

// Phase is the moment of a request a trigger is about.
type Phase string

// The two moments.
const (
	// Before is when the request has been read and nothing has been applied.
	Before Phase = "before"
	// After is when the request has been applied and nothing has been answered.
	After Phase = "after"
)

// Action is what the caller sees.
type Action string

// The actions.
const (
	// Continue handles the request as if there were no trigger.
	Continue Action = ""
	// Drop closes the connection without an answer.
	Drop Action = "drop"
	// Hang never answers: the connection stays open until the caller leaves,
	// the trigger is disarmed or the emulator is closed.
	Hang Action = "hang"
)

// Event is one moment of one request.
type Event struct {
	// N numbers requests, Mutation numbers POST, PUT, PATCH and DELETE, both
	// from 1 since the hook was armed. Mutation is 0 for a read.
	N        int    `json:"n"`
	Mutation int    `json:"mutation,omitempty"`
	Phase    Phase  `json:"phase"`
	Method   string `json:"method"`
	Path     string `json:"path"`
}

// Hook decides at every moment of every request. It may block and may kill the
// caller before it returns.
type Hook func(Event) Action

// Trigger describes a halt at the N-th request.
type Trigger struct {
	// N counts from 1, when the trigger is armed.
	N int `json:"n"`
	// Mutating counts only POST, PUT, PATCH and DELETE.
	Mutating bool   `json:"mutating"`
	Phase    Phase  `json:"phase"`
	Action   Action `json:"action"`
	// Freeze drops every later request too, as if the caller had died at once.
	Freeze bool `json:"freeze"`
	// Fired, when not nil, runs once at the moment, before the caller sees the action.
	Fired func(Event) `json:"-"`
}

// Hook builds the hook of the trigger, or says what is wrong with it.
func (t Trigger) Hook() (Hook, error) {
	switch {
	case t.N < 1:
		return nil, fmt.Errorf("halt: n is %d, the first request is 1", t.N)
	case t.Phase != Before && t.Phase != After:
		return nil, fmt.Errorf("halt: phase %q is neither %q nor %q", t.Phase, Before, After)
	case t.Action != Continue && t.Action != Drop && t.Action != Hang:
		return nil, fmt.Errorf("halt: action %q is neither %q nor %q", t.Action, Drop, Hang)
	}
	var mu sync.Mutex
	var fired bool
	return func(e Event) Action {
		mu.Lock()
		if fired {
			mu.Unlock()
			if t.Freeze {
				return Drop
			}
			return Continue
		}
		fired = t.matches(e)
		now := fired
		mu.Unlock()
		if !now {
			return Continue
		}
		if t.Fired != nil {
			t.Fired(e)
		}
		return t.Action
	}, nil
}

func (t Trigger) matches(e Event) bool {
	n := e.N
	if t.Mutating {
		n = e.Mutation
	}
	return n == t.N && e.Phase == t.Phase
}
