package front

import (
	"net/http"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

// halts numbers requests for the armed hook.
type halts struct {
	mu           sync.Mutex
	hook         halt.Hook
	n, mutations int
	fired        *halt.Event // of the trigger armed by ArmTrigger
	disarmed     chan struct{}
}

// Arm puts a hook in force and starts its numbers at 1. The hook before it is
// disarmed. A hook may be called by several requests at the same time.
func (f *Front) Arm(hook halt.Hook) {
	f.Disarm()
	f.halts.mu.Lock()
	defer f.halts.mu.Unlock()
	f.halts.hook, f.halts.n, f.halts.mutations = hook, 0, 0
}

// ArmTrigger arms a trigger and remembers its event for HaltedAt.
func (f *Front) ArmTrigger(t halt.Trigger) error {
	fired := t.Fired
	t.Fired = func(e halt.Event) {
		f.halts.mu.Lock()
		f.halts.fired = &e
		f.halts.mu.Unlock()
		f.signal.Announce()
		if fired != nil {
			fired(e)
		}
	}
	hook, err := t.Hook()
	if err != nil {
		return err
	}
	f.Arm(hook)
	return nil
}

// HaltedAt returns where the armed trigger fired, or nil when it has not.
func (f *Front) HaltedAt() *halt.Event {
	f.halts.mu.Lock()
	defer f.halts.mu.Unlock()
	return f.halts.fired
}

// Disarm takes the hook away and drops the connections that hang, those held by
// a fault too.
func (f *Front) Disarm() {
	f.halts.mu.Lock()
	defer f.halts.mu.Unlock()
	f.halts.hook, f.halts.fired = nil, nil
	close(f.halts.disarmed)
	f.halts.disarmed = make(chan struct{})
}

// watched is a request under the eyes of the hook that was armed when it came in.
type watched struct {
	event  halt.Event
	hook   halt.Hook
	lifted <-chan struct{} // closed when that hook is disarmed
}

// begin numbers a request.
func (h *halts) begin(r *http.Request) watched {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n++
	event := halt.Event{N: h.n, Method: r.Method, Path: r.URL.RequestURI()}
	if traffic.Mutating(r.Method) {
		h.mutations++
		event.Mutation = h.mutations
	}
	return watched{event, h.hook, h.disarmed}
}

// ask asks the hook what to do at a moment.
func (w watched) ask(phase halt.Phase) halt.Action {
	if w.hook == nil {
		return halt.Continue
	}
	w.event.Phase = phase
	return w.hook(w.event)
}
