// Package operation follows changes that go on in the cloud after its answer. It asks for the states of
// all of them together, however many Services they are of.
package operation

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// How long to wait between two requests for states.
const (
	pollFirst = 500 * time.Millisecond  // for an operation that has just begun
	pollEach  = 20 * time.Millisecond   // longer for each that runs: when more come together, fewer requests tell the end of all
	pollMany  = 1500 * time.Millisecond // for many that have just begun
	pollAgain = time.Second             // for many that were asked for: their end is seen a second later at most
	pollLast  = 15 * time.Second        // for one that has run for long, and after failures
	// pollRequest is how long to wait at the least for each request that the states took: those of hundreds of operations take several.
	pollRequest = 400 * time.Millisecond
	// patience is for how long requests may fail before an operation counts as ended. What it did is
	// observed then.
	patience = 10 * time.Minute
	// mostRunning is after which time an operation counts as ended although the cloud says that it runs:
	// one that hangs must not hold everything back.
	mostRunning = time.Hour
)

// Tracker follows the operations of one cloud. It is safe for concurrent use.
type Tracker struct {
	api cloud.Operations

	mu      sync.Mutex
	running map[string]*running
	// polling says that a goroutine asks for states. It ends when nothing runs any more.
	polling bool
	// requests is how many the latest states took, of asked operations. Both are only of the goroutine that asks.
	requests, asked int
	// begun has something in it when an operation was added while that goroutine waits.
	begun chan struct{}
}

// running is one operation and who waits for it.
type running struct {
	since time.Time
	// latest is when the last change began that names it: it is asked for as often as that one needs.
	latest time.Time
	// asked is when it was last asked for, or began.
	asked time.Time
	// again says that it was asked for.
	again bool
	// least is for how long it goes on at the least, and how far apart it is asked for.
	least  time.Duration
	groups []*Group
}

// New returns the tracker of a cloud. Without an API, nil, every operation has ended already.
func New(api cloud.Operations) *Tracker {
	return &Tracker{api: api, running: map[string]*running{}, begun: make(chan struct{}, 1)}
}

// Follow returns the operations of a change together with those of an earlier one, which may be nil. It is
// nil when there are none to follow. The new ones go on for that long at the least.
func (t *Tracker) Follow(earlier *Group, least time.Duration, ids ...string) *Group {
	if t.api == nil || len(ids) == 0 {
		return earlier
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	g := &Group{done: make(chan struct{}), since: time.Now()}
	if earlier != nil {
		ids, g.err, g.unknown = append(slices.Clone(earlier.ids), ids...), earlier.err, earlier.unknown
	}
	g.ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	g.left = len(g.ids)
	for _, id := range g.ids {
		if t.running[id] == nil {
			t.running[id] = &running{since: time.Now(), asked: time.Now(), least: least}
		}
		r := t.running[id]
		r.latest, r.groups = time.Now(), append(r.groups, g)
	}
	select {
	case t.begun <- struct{}{}:
	default:
	}
	if !t.polling {
		t.polling = true
		go t.poll()
	}
	return g
}

// Wait returns when all operations have ended, with the first failure, or when the context ends.
func (t *Tracker) Wait(ctx context.Context, ids ...string) error {
	g := t.Follow(nil, 0, ids...) //nolint:contextcheck // others may wait for the same operations
	if g == nil {
		return nil
	}
	select {
	case <-g.Done():
		return g.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// poll asks for all states again and again, until nothing runs.
func (t *Tracker) poll() {
	var failures failures
	for {
		after, any := t.next(failures)
		switch {
		case !any:
			return
		case after > 0:
			t.wait(after)
			continue
		}
		ids, began := t.ids(), time.Now()
		ctx, requests := cloud.CountRequests(cloud.WithPriority(context.Background(), cloud.PriorityBegun))
		states, err := t.api.OperationStates(ctx, ids)
		t.requests, t.asked = requests(), len(ids)
		switch failures.add(err); {
		case err == nil:
			t.note(began, ids, states)
		case failures.lasting():
			t.note(began, ids, nil)
		}
	}
}

// wait waits for that long, or until another operation begins, which may be due earlier, or have all wait longer.
func (t *Tracker) wait(after time.Duration) {
	select {
	case <-time.After(after):
	case <-t.begun:
	}
}

// next returns how long to wait before asking, 0 to ask now, and false when nothing runs: nobody asks any more then.
// While requests fail, what begins changes nothing.
func (t *Tracker) next(f failures) (after time.Duration, any bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.running) == 0 {
		t.polling, t.asked = false, 0
		return 0, false
	}
	if f.times > 0 {
		return max(0, time.Until(f.last.Add(f.wait))), true
	}
	first := min(pollFirst+time.Duration(len(t.running)-1)*pollEach, pollMany)
	after = pollLast
	for _, r := range t.running {
		shortest := first
		if r.again {
			shortest = min(first, pollAgain)
		}
		shortest = max(shortest, time.Duration(t.pages())*pollRequest)
		after = min(after, time.Until(r.asked.Add(Interval(r.asked.Sub(r.latest), max(shortest, r.least)))))
	}
	return max(0, after), true
}

// pages returns how many requests the next states take: as many as the latest, or fewer where fewer operations run. The caller holds mu.
func (t *Tracker) pages() int {
	if t.asked == 0 {
		return 0
	}
	return min(t.requests, (t.requests*len(t.running)+t.asked-1)/t.asked)
}

// Interval returns the wait for the next look at what the cloud has worked on for so long: a fifth of
// that, so that its end is seen at most a fifth later; first at least, 15 seconds at most.
func Interval(age, first time.Duration) time.Duration { return min(max(age/5, first), pollLast) }

// ids are what runs, sorted.
func (t *Tracker) ids() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ids []string
	for id, r := range t.running {
		ids, r.asked, r.again = append(ids, id), time.Now(), true
	}
	slices.Sort(ids)
	return ids
}

// note ends the operations that were asked for and do not run any more, for those who had begun one by then: several changes
// can name the same operation.
//
//	answer   it
//	running  goes on, for mostRunning at the most
//	done     ended
//	failed   ended, with that failure
//	missing  ended, nobody knows how: the cloud forgets what ended long ago
func (t *Tracker) note(began time.Time, asked []string, states map[string]cloud.OperationState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for _, id := range asked {
		state, told := states[id]
		if state.Running && now.Sub(t.running[id].since) < mostRunning {
			continue
		}
		var later []*Group
		for _, g := range t.running[id].groups {
			if g.since.After(began) {
				later = append(later, g)
				continue
			}
			g.end(state.Err, told && !state.Running, now)
		}
		if later == nil {
			delete(t.running, id)
		} else {
			t.running[id] = &running{since: later[0].since, latest: later[len(later)-1].since, asked: later[0].since, least: t.running[id].least, groups: later}
		}
	}
}

// failures counts the requests for states that failed in a row.
type failures struct {
	times       int
	since, last time.Time
	wait        time.Duration
}

func (f *failures) add(err error) {
	if err == nil {
		*f = failures{}
		return
	}
	f.last = time.Now()
	if f.times++; f.times == 1 {
		f.since, f.wait = f.last, pollFirst
	}
	f.wait = max(min(2*f.wait, pollLast), cloud.FailureOf(err).RetryAfter)
}

func (f *failures) lasting() bool { return f.times > 0 && time.Since(f.since) >= patience }

// Group is the operations of one change.
type Group struct {
	ids  []string
	done chan struct{}
	// since is when it was followed first: an answer to a request from before that does not tell its end.
	since time.Time
	// left is how many go on; the Tracker's lock guards it, and what follows until done is closed.
	left int
	err  error
	// unknown says that the cloud has not said of every one how it ended.
	unknown bool
	at      time.Time
}

// Done returns what is closed when all have ended.
func (g *Group) Done() <-chan struct{} { return g.done }

// Err returns the first failure, nil where there is none. It may be called when Done is closed.
func (g *Group) Err() error { return g.err }

// Succeeded reports whether the cloud has said of every one that it ended well. It may be called when Done is closed.
func (g *Group) Succeeded() bool { return g.err == nil && !g.unknown }

// At returns when the cloud had said so of the last one: the same time for all whose end one answer told. What is
// read from then on shows what they did. It may be called when Done is closed.
func (g *Group) At() time.Time { return g.at }

// Ended reports whether all have ended.
func (g *Group) Ended() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

// end notes that one has ended, and how. told says that the cloud has said that.
func (g *Group) end(err error, told bool, at time.Time) {
	if g.err == nil {
		g.err = err
	}
	g.unknown = g.unknown || !told
	if g.left--; g.left == 0 {
		g.at = at
		close(g.done)
	}
}
