// Package absence collects what proves that the machines of Nodes are gone.
package absence

import (
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Tracker keeps the absences that are not proved or not acted upon yet: the Nodes whose machines seem
// gone. One is dropped without a trace as soon as anything shows the machine again, or the Node goes.
//
//	state      from                              until
//	unread     admitted; holds a place           the first not-found
//	waiting    first not-found; holds a place    the second one, confirmGap later
//	confirmed  second not-found, gap kept        the proof is older than maxAge
//	expired    then                              another not-found: confirmed again
//	failing    a read that the cloud did not     a read that it answers
//	           answer; holds no place
//
// There are only so many places, so that a cloud that answers "not found" for a thousand
// machines is not asked a thousand times in every pass.
type Tracker struct {
	places             int
	confirmGap, maxAge time.Duration

	mu   sync.Mutex
	byID map[cloud.InstanceID]map[string]*Absence
	// unread and waiting are those in that state.
	unread, waiting map[Key]*Absence
}

// Absence is what is known about one Node's machine.
type Absence struct {
	// First is when the first not-found came, Last when the latest one that keeps the
	// gap did; zero when there is none.
	First, Last time.Time
	// asked is when the Node was last asked for.
	asked time.Time
	// failures are the direct reads in a row that the cloud did not answer, failure is the last one's error.
	failures int
	failure  error
	// retryAt is when the machine is read again after them.
	retryAt time.Time
}

// Key names an absence: the machine, and the UID of the Node.
type Key struct {
	ID  cloud.InstanceID
	UID string
}

// NewTracker returns one without absences, with so many places. confirmGap is the least time
// between the two not-founds of a proof, maxAge how old the second may be.
func NewTracker(places int, confirmGap, maxAge time.Duration) *Tracker {
	t := &Tracker{places: places, confirmGap: confirmGap, maxAge: maxAge}
	t.Void()
	return t
}

// Confirmed reports whether there were two not-founds, far enough apart.
func (a Absence) Confirmed() bool { return !a.Last.IsZero() }

// Failing reports whether the cloud did not answer the last direct read.
func (a Absence) Failing() bool { return a.failures > 0 }

// Failure returns why the machine cannot be read for now: the error of the last direct read, until the pause
// after it is over.
func (a Absence) Failure() error {
	if time.Now().Before(a.retryAt) {
		return a.failure
	}
	return nil
}

// Due reports whether a direct read would add to the proof.
func (t *Tracker) Due(a Absence) bool {
	switch {
	case a.First.IsZero():
		return true
	case !a.Confirmed():
		return time.Since(a.First) >= t.confirmGap
	default:
		return time.Since(a.Last) > t.maxAge
	}
}

// Get returns the absence of a Node's machine.
func (t *Tracker) Get(k Key) (Absence, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.byID[k.ID][k.UID]
	if a == nil {
		return Absence{}, false
	}
	return *a, true
}

// Admit returns the absence of a Node's machine, and opens one if there is a place. While everything is
// held, one that waits for its second not-found needs no place: others get their first read.
func (t *Tracker) Admit(k Key, held bool) (Absence, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	a := t.byID[k.ID][k.UID]
	if a == nil {
		if t.taken(now, held) >= t.places {
			return Absence{}, false
		}
		a = t.open(k)
	}
	a.asked = now
	return *a, true
}

func (t *Tracker) open(k Key) *Absence {
	a := &Absence{asked: time.Now()}
	if t.byID[k.ID] == nil {
		t.byID[k.ID] = map[string]*Absence{}
	}
	t.byID[k.ID][k.UID] = a
	t.unread[k] = a
	return a
}

func (t *Tracker) drop(k Key) {
	delete(t.unread, k)
	delete(t.waiting, k)
	delete(t.byID[k.ID], k.UID)
	if len(t.byID[k.ID]) == 0 {
		delete(t.byID, k.ID)
	}
}

// taken counts the places that are taken. An absence that nobody asks for any more, because its
// Node is Ready again or gone, gives up its place. One whose read failed holds none: it may fail for days.
func (t *Tracker) taken(now time.Time, held bool) int {
	t.expire(t.unread, now)
	if held {
		return placesOf(t.unread)
	}
	t.expire(t.waiting, now)
	return placesOf(t.unread) + placesOf(t.waiting)
}

// placesOf counts the absences that hold a place: those whose last read the cloud answered, or that were not read yet.
func placesOf(some map[Key]*Absence) (n int) {
	for _, a := range some {
		if !a.Failing() {
			n++
		}
	}
	return n
}

func (t *Tracker) expire(some map[Key]*Absence, now time.Time) {
	for k, a := range some {
		if now.Sub(a.asked) > 3*t.confirmGap {
			t.drop(k)
		}
	}
}

// Suspect opens an absence with its first not-found, unless there is one.
func (t *Tracker) Suspect(k Key, answered time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[k.ID][k.UID] == nil {
		t.note(k, answered, answered)
	}
}

// Note records a definite not-found by a direct read, with the times when it was asked for
// and answered. In an absence that was dropped meanwhile it is a first one.
func (t *Tracker) Note(k Key, started, answered time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.note(k, started, answered)
}

func (t *Tracker) note(k Key, started, answered time.Time) {
	a := t.byID[k.ID][k.UID]
	if a == nil {
		a = t.open(k)
	}
	a.failures, a.failure, a.retryAt = 0, nil, time.Time{}
	switch {
	case a.First.IsZero():
		a.First = answered
		delete(t.unread, k)
		t.waiting[k] = a
	case started.Sub(a.First) >= t.confirmGap:
		a.Last = answered
		delete(t.waiting, k)
	}
}

// Fail records a direct read that the cloud did not answer. The next one comes after a pause of confirmGap, which doubles
// up to maxAge with each failure in a row: reads that fail must not use up what the proofs of others need. The pause is as
// long as the cloud asks for, if that is longer.
func (t *Tracker) Fail(k Key, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.byID[k.ID][k.UID]
	if a == nil {
		return
	}
	pause := min(t.confirmGap<<min(a.failures, 10), t.maxAge)
	a.failures++
	a.failure, a.retryAt = err, time.Now().Add(max(pause, cloud.FailureOf(err).RetryAfter))
}

// Confirmed reports whether a machine was proved absent for some Node.
func (t *Tracker) Confirmed(id cloud.InstanceID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.byID[id] {
		if a.Confirmed() {
			return true
		}
	}
	return false
}

// NotFound counts the direct reads that did not find a machine at since or later, for the Node that knows most: 2 at most.
func (t *Tracker) NotFound(id cloud.InstanceID, since time.Time) (most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.byID[id] {
		n := 0
		for _, at := range []time.Time{a.First, a.Last} {
			if !at.IsZero() && !at.Before(since) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Nodes returns the UIDs of the Nodes whose machines were not found at least once.
func (t *Tracker) Nodes() (uids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, nodes := range t.byID {
		for uid, a := range nodes {
			if !a.First.IsZero() {
				uids = append(uids, uid)
			}
		}
	}
	return uids
}

// Has reports whether a machine seems gone.
func (t *Tracker) Has(id cloud.InstanceID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID[id]) > 0
}

// Void drops all absences: what they rest on was read with wrong credentials.
func (t *Tracker) Void() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID = map[cloud.InstanceID]map[string]*Absence{}
	t.unread, t.waiting = map[Key]*Absence{}, map[Key]*Absence{}
}

// Drop drops the absences of machines that are there, or of Nodes that are gone.
func (t *Tracker) Drop(which func(Key) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, nodes := range t.byID {
		for uid := range nodes {
			if k := (Key{id, uid}); which(k) {
				t.drop(k)
			}
		}
	}
}
