package absence

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Mass counts how many machines are missing at once. More of them than the brake's limit are
// taken for wrong answers of the cloud, and none of their Nodes is deleted. The cloud's answers
// alone can't tell a machine that is hidden from one that is gone; other evidence decides:
//
//	evidence                                         then
//	somebody announced that the Node would go        its machine is not counted
//	an operator released the brake                   its machine is not counted
//	a Ready Node's machine is missing too            the answers are wrong
//	a machine that was missing is back               they were wrong: the time starts again
//	nothing of that for the wait, in complete lists  the machines are gone
//	 the same, and the account has no machine        they are gone after EmptyFactor times the wait
//
// The time is counted in memory only: a restart starts it again, which deletes nothing.
type Mass struct {
	wait time.Duration

	mu sync.Mutex
	// missing are the Nodes, by UID, whose machines the newest list lacks, and since when.
	missing map[string]time.Time
	// list is the newest one.
	list List
	// since is when the time began; zero while something contradicts the lists.
	since time.Time
	// held says that a Node was held; denial is the same for all of them, nil when it is to be
	// found out again.
	held   bool
	denial *Denial
	// seen are the machines that direct reads showed, and when: some are in no list.
	seen map[cloud.InstanceID]time.Time
}

// EmptyFactor says how much longer nothing at all must be seen: nothing shows that the cloud
// answers more than the question for the account.
const EmptyFactor = 3

// List is a list of machines, compared with the Nodes.
type List struct {
	Started time.Time
	// Empty says that the list has no machine at all, Complete that no part of it is missing.
	Empty, Complete bool
	// Present and Missing are the UIDs of the Nodes whose machines the list has and lacks.
	Present, Missing map[string]bool
	// Limit is how many may be missing.
	Limit int
	// Contradiction says what shows that the list is wrong, "" when nothing does.
	Contradiction string
}

// NewMass returns one that believes in a mass removal after that time.
func NewMass(wait time.Duration) *Mass {
	return &Mass{wait: wait, seen: map[cloud.InstanceID]time.Time{}}
}

// Count takes over what a list lacks. Direct reads, and lists, that are older than age are forgotten.
func (m *Mass) Count(l List, age time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	missing, returned := make(map[string]time.Time, len(l.Missing)), false
	for uid := range l.Missing {
		missing[uid] = l.Started
		if since, before := m.missing[uid]; before {
			missing[uid] = since
		}
	}
	for uid := range m.missing {
		returned = returned || l.Present[uid]
	}
	// What happened while lists failed for so long is not known.
	gap := l.Started.Sub(m.list.Started) > age
	m.missing, m.list, m.denial = missing, l, nil
	switch {
	case len(missing) <= l.Limit:
		m.since, m.held = time.Time{}, false
	case l.Contradiction != "" || !l.Complete:
		m.since = time.Time{}
	case returned || gap || m.since.IsZero():
		m.since = l.Started
	}
	maps.DeleteFunc(m.seen, func(_ cloud.InstanceID, at time.Time) bool { return time.Since(at) > age })
}

// Learn remembers what a direct read showed.
func (m *Mass) Learn(items []cloud.Instance, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, item := range items {
		if m.seen[item.ID].Before(at) {
			m.seen[item.ID] = at
		}
	}
}

// Seen returns when a direct read showed the machine; zero when none did lately.
func (m *Mass) Seen(id cloud.InstanceID) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[id]
}

// Restart starts the time again.
func (m *Mass) Restart() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since, m.denial = time.Time{}, nil
}

// Release does not count the Nodes any more that an operator released.
func (m *Mass) Release(released func(uid string) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.missing, func(uid string, _ time.Time) bool { return released(uid) })
	m.since, m.held, m.denial = time.Time{}, false, nil
}

// Missing returns the UIDs of the Nodes whose machines the newest list lacks.
func (m *Mass) Missing() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.missing))
}

// Over reports whether too many machines are missing.
func (m *Mass) Over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.missing) > m.list.Limit
}

// Holds reports whether Nodes are held because too many machines are missing.
func (m *Mass) Holds() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held
}

// Proved reports whether the Node's machine went with many others, and lists lack it for so long:
// time without lists does not count.
func (m *Mass) Proved(uid string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.provedLocked(uid)
}

func (m *Mass) provedLocked(uid string) bool {
	since, lacks := m.missing[uid]
	wait, listed := m.waitLocked(), m.list.Started
	return len(m.missing) > m.list.Limit && lacks && !m.since.IsZero() && listed.Sub(m.since) >= wait && listed.Sub(since) >= wait
}

func (m *Mass) waitLocked() time.Duration {
	if m.list.Empty {
		return EmptyFactor * m.wait
	}
	return m.wait
}

// Deny returns why the Node is held, nil when too few machines are missing or the proof is there.
func (m *Mass) Deny(uid string) *Denial {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.missing) <= m.list.Limit || m.provedLocked(uid) {
		return nil
	}
	m.held = true
	if m.denial == nil {
		m.denial = m.denialLocked()
	}
	return m.denial
}

func (m *Mass) denialLocked() *Denial {
	why := fmt.Sprintf("that is believed when it lasts for %v", m.waitLocked())
	switch {
	case m.list.Contradiction != "":
		why = m.list.Contradiction
	case !m.list.Complete:
		why = "the cloud's list of machines is not complete; " + safety.ReleaseHint
	case m.since.IsZero(): // after a release, or a list of another account
		why += ", and the time in which that is to last begins with the next list of machines; " + safety.ReleaseHint
	default:
		why += "; " + safety.ReleaseHint
	}
	return Deny(MassRemoval, "deletion brake: %d machines are missing at once, more than the %d that may go together: %s",
		len(m.missing), m.list.Limit, why)
}
