package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// maxListBackoff is the longest pause after lists that failed one after the other.
const maxListBackoff = time.Minute

// flight is a list that is being read. All who need one wait for the same.
type flight struct {
	// start is when it starts: later than now where MinRefresh asks for a pause.
	start time.Time
	// deadline is until when questions wait for it.
	deadline time.Time
	done     chan struct{}
	err      error
}

// listFailure remembers a failed list, so that the questions that need one fail at once
// instead of asking the cloud again each.
type listFailure struct {
	err     error
	count   int
	retryAt time.Time
}

// list makes sure that a list which was started at since or later has been read, and reads
// it if need be. No error means that there is one, not that it is believed.
func (i *Inventory) list(ctx context.Context, since time.Time) error {
	for {
		f, err := i.board(ctx, since)
		if f == nil || err != nil {
			return err
		}
		if err := f.wait(ctx); err != nil {
			return err
		}
	}
}

// board returns the flight to wait for: none when there is a list that young.
func (i *Inventory) board(ctx context.Context, since time.Time) (*flight, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now()
	switch {
	case !i.lastList.IsZero() && !i.lastList.Before(since):
		return nil, nil
	case i.flight != nil:
		return i.flight, nil
	case i.failure.err != nil && now.Before(i.failure.retryAt):
		return nil, i.failure.err
	}
	start := now
	if earliest := i.lastList.Add(i.policy.MinRefresh); !i.lastList.IsZero() && earliest.After(now) {
		start = earliest
	}
	i.flight = &flight{start: start, deadline: start.Add(i.policy.Patience), done: make(chan struct{})}
	go i.fly(detached(ctx), i.flight)
	return i.flight, nil
}

func (f *flight) wait(ctx context.Context) error {
	timer := time.NewTimer(time.Until(f.deadline))
	defer timer.Stop()
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("listing machines: no answer since %v", time.Since(f.start).Round(time.Second))
	}
}

func (i *Inventory) fly(ctx context.Context, f *flight) {
	pause(ctx, time.Until(f.start))
	go i.guard.learn(ctx)
	started := time.Now()
	list, err := bounded(ctx, "list instances", i.instances.List)
	i.spend(i.pace.pages(len(list.Items)))
	if err != nil {
		f.err = fmt.Errorf("listing machines: %w", err)
		i.report.refreshed("failed")
	} else {
		i.land(ctx, newSnapshot(list, started))
	}
	i.finish(f, started)
}

// finish ends the flight. A list that failed does not count as one, but it puts off the
// next one, for as long as the cloud asks.
func (i *Inventory) finish(f *flight, started time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.flight = nil
	if f.err == nil {
		i.failure, i.lastList, i.spent = listFailure{}, started, 0
		i.budget.SetBurst(i.pace.burst(i.sizeLocked()))
	} else {
		n := i.failure.count
		pause := min(i.policy.MinRefresh<<min(n, 10), maxListBackoff)
		pause = max(pause, cloud.FailureOf(f.err).RetryAfter)
		i.failure = listFailure{err: f.err, count: n + 1, retryAt: time.Now().Add(pause)}
	}
	close(f.done)
}

// land decides what a list that was read is good for.
//
//	list                              result      proves presence  replaces the one before
//	a page or region missing          incomplete  yes              no
//	empty while a Node of ours is     suspicious  –                no
//	 Ready
//	lacks too many machines of our    suspicious  yes              no
//	 Nodes that nothing confirmed
//	 gone
//	suspicious, and the credentials   suspicious  no               no
//	 see another account
//	otherwise                         installed   yes              yes
//
// Nothing ever proves absence here.
func (i *Inventory) land(ctx context.Context, s *snapshot) {
	result, foreign := i.assess(ctx, s)
	met := !foreign && i.shows(s)
	i.mu.Lock()
	first := met && !i.met
	i.met = i.met || met
	switch {
	case foreign:
		i.refused = nil
	case result != listInstalled:
		i.refused = s
	default:
		s.trusted = true
		s.carry(i.installed)
		i.installed, i.refused = s, nil
	}
	i.forgetLocked()
	size := i.installed.size
	i.mu.Unlock()
	forgotten := first && i.guard.forget(s.started)
	if forgotten {
		i.cases.void()
	}
	if foreign {
		i.mass.doubt()
	} else {
		i.cases.listed(s)
		i.countMissing(s)
		i.follow(s)
		if result == listInstalled {
			i.labels.keep(s)
		}
	}
	if met && !forgotten { // the next list knows it again
		i.keepAccount(ctx)
	}
	i.prune()
	i.report.refreshed(result)
	i.report.size(size)
}

// Results of a list, as in the metric.
const (
	listInstalled  = "installed"
	listIncomplete = "incomplete"
	listSuspicious = "suspicious"
)

// assess judges a list. A suspicious one makes it worth asking whether the credentials
// still see the same account; if not, what they see is not ours at all.
func (i *Inventory) assess(ctx context.Context, s *snapshot) (result string, foreign bool) {
	if !s.complete {
		return listIncomplete, false
	}
	if !i.suspicious(s) {
		return listInstalled, false
	}
	r := i.guard.accountChanged(ctx)
	if r != nil {
		i.cases.void()
		i.guard.fail(r)
	}
	return listSuspicious, r != nil
}

// suspicious compares a list with our Nodes and the list before. Machines of no Node of
// ours may come and go as they like: nothing here depends on them.
func (i *Inventory) suspicious(s *snapshot) bool {
	i.mu.Lock()
	before := i.installed
	i.mu.Unlock()
	missing := 0
	for _, node := range i.nodes() {
		if Owner(node, i.concerns) != Mine {
			continue
		}
		if s.size == 0 && ready(node) {
			return true
		}
		if id, err := i.ProviderID(node); err == nil && before.byID[id] != nil && s.byID[id] == nil && !i.cases.confirmed(id) {
			missing++
		}
	}
	return missing > max(int(i.policy.ShrinkFraction*float64(before.size)), i.policy.ShrinkMin)
}

// prune forgets what was remembered about Nodes that are gone.
func (i *Inventory) prune() {
	nodes := i.nodes()
	live := make(map[string]bool, len(nodes))
	for _, node := range nodes {
		live[string(node.UID)] = true
	}
	i.cases.prune(live)
	i.report.prune(live)
	i.reportBrake()
}

// spend takes requests from the budget that are made in any case. The debt is bounded: a burst
// of them, when many balancers go at once, must not keep new Nodes waiting for minutes.
func (i *Inventory) spend(requests int) {
	debt := i.pace.pages(i.size()) + readsBetweenLists
	if left := int(i.budget.Tokens()) + debt; left > 0 {
		i.budget.ReserveN(time.Now(), min(requests, left, i.budget.Burst()))
	}
}

// afford takes requests from the budget, if it has them.
func (i *Inventory) afford(requests int) bool {
	return i.budget.AllowN(time.Now(), min(requests, i.budget.Burst()))
}

// affordLater is afford for reads that can wait.
func (i *Inventory) affordLater(requests int) bool { return i.room(requests) && i.afford(requests) }

// room reports whether the budget has the requests and, beyond them, a list and some reads
// for new Nodes.
func (i *Inventory) room(requests int) bool {
	reserve := i.pace.pages(i.size()) + readsBetweenLists
	return i.budget.Tokens() >= float64(requests+reserve)
}

// measureAge reports how old the list is that is used now.
func (i *Inventory) measureAge() {
	i.mu.Lock()
	started := i.installed.started
	i.mu.Unlock()
	if !started.IsZero() {
		i.report.metrics.Set(metric.SnapshotAge, time.Since(started).Seconds(), i.name)
	}
}
