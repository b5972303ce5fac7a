package event

import "sync"

// Once records each event once, for as long as every round finds it again: it is for what is found out anew in each pass
// over many objects. It is safe for concurrent use.
type Once struct {
	// Next may be nil: then nothing is recorded.
	Next Recorder

	mu sync.Mutex
	// before are the events of the last round, now those of this one.
	before, now map[once]bool
}

type once struct {
	object  Object
	reason  Reason
	message string
}

// Record implements Recorder.
func (o *Once) Record(object Object, reason Reason, message string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	e := once{object, reason, message}
	if o.Next != nil && !o.before[e] && !o.now[e] {
		o.Next.Record(object, reason, message)
	}
	if o.now == nil {
		o.now = map[once]bool{}
	}
	o.now[e] = true
}

// Round ends a round.
func (o *Once) Round() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.before, o.now = o.now, nil
}
