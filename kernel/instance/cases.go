package instance

import (
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// cases are the Nodes whose machines seem gone. A case is closed without a trace as soon
// as anything shows the machine again, or the Node goes.
//
//	state      from                              until
//	open       admitted; holds a place           confirmed
//	waiting    first not-found                   ConfirmGap later
//	confirmed  second not-found, gap kept        the proof is older than CanaryMaxAge
//	expired    then                              another not-found: confirmed again
//
// Only so many cases are open at once, so that a cloud that answers "not found" for a
// thousand machines is not asked a thousand times in every pass.
type cases struct {
	places int
	policy Policy

	mu   sync.Mutex
	byID map[cloud.InstanceID]map[string]*absence
	// unread are the cases without a not-found, waiting those with one that are not confirmed.
	unread, waiting map[caseKey]*absence
}

// caseKey names a case.
type caseKey struct {
	id  cloud.InstanceID
	uid string
}

// absence is what is known about one Node's machine, by value.
type absence struct {
	// first is when the first not-found came, last when the latest one that keeps the
	// gap did; zero when there is none.
	first, last time.Time
	// asked is when the Node was last asked for.
	asked time.Time
}

func newCases(places int, p Policy) *cases {
	c := &cases{places: places, policy: p}
	c.void()
	return c
}

func (a absence) confirmed() bool { return !a.last.IsZero() }

// due reports whether a direct read would add to the proof.
func (a absence) due(p Policy) bool {
	switch {
	case a.first.IsZero():
		return true
	case !a.confirmed():
		return time.Since(a.first) >= p.ConfirmGap
	default:
		return time.Since(a.last) > p.CanaryMaxAge
	}
}

// get returns the case of a Node, by its UID.
func (c *cases) get(uid string, id cloud.InstanceID) (absence, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.byID[id][uid]
	if a == nil {
		return absence{}, false
	}
	return *a, true
}

// admit returns the case of a Node and opens one if there is a place. While everything is held,
// a case that waits for its second not-found needs no place: others get their first read.
func (c *cases) admit(uid string, id cloud.InstanceID, held bool) (absence, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	a := c.byID[id][uid]
	if a == nil {
		if c.taken(now, held) >= c.places {
			return absence{}, false
		}
		a = c.open(uid, id)
	}
	a.asked = now
	return *a, true
}

func (c *cases) open(uid string, id cloud.InstanceID) *absence {
	a := &absence{}
	if c.byID[id] == nil {
		c.byID[id] = map[string]*absence{}
	}
	c.byID[id][uid] = a
	c.unread[caseKey{id, uid}] = a
	return a
}

// close forgets a case.
func (c *cases) close(key caseKey) {
	delete(c.unread, key)
	delete(c.waiting, key)
	delete(c.byID[key.id], key.uid)
	if len(c.byID[key.id]) == 0 {
		delete(c.byID, key.id)
	}
}

// found adds the first not-found.
func (c *cases) found(key caseKey, answered time.Time) {
	a := c.unread[key]
	a.first = answered
	delete(c.unread, key)
	c.waiting[key] = a
}

// taken counts open cases. One that nobody asks for any more, because its Node is Ready
// again or gone, gives up its place.
func (c *cases) taken(now time.Time, held bool) int {
	c.expire(c.unread, now)
	if held {
		return len(c.unread)
	}
	c.expire(c.waiting, now)
	return len(c.unread) + len(c.waiting)
}

func (c *cases) expire(some map[caseKey]*absence, now time.Time) {
	for key, a := range some {
		if now.Sub(a.asked) > 3*c.policy.ConfirmGap {
			c.close(key)
		}
	}
}

// suspect opens a case with its first not-found, unless there is one.
func (c *cases) suspect(uid string, id cloud.InstanceID, answered time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID[id][uid] == nil {
		c.open(uid, id).asked = time.Now()
		c.found(caseKey{id, uid}, answered)
	}
}

// note records a definite not-found by a direct read, with the times when it was asked for
// and answered. In a case that was closed meanwhile it is a first one.
func (c *cases) note(uid string, id cloud.InstanceID, started, answered time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.byID[id][uid]
	if a == nil {
		a = c.open(uid, id)
		a.asked = time.Now()
	}
	switch {
	case a.first.IsZero():
		c.found(caseKey{id, uid}, answered)
	case started.Sub(a.first) >= c.policy.ConfirmGap:
		a.last = answered
		delete(c.waiting, caseKey{id, uid})
	}
}

// confirmed reports whether a machine was proved absent for some Node.
func (c *cases) confirmed(id cloud.InstanceID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.byID[id] {
		if a.confirmed() {
			return true
		}
	}
	return false
}

// nodes returns the UIDs of the Nodes whose machines were not found at least once.
func (c *cases) nodes() (uids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, nodes := range c.byID {
		for uid, a := range nodes {
			if !a.first.IsZero() {
				uids = append(uids, uid)
			}
		}
	}
	return uids
}

// has reports whether a machine has a case.
func (c *cases) has(id cloud.InstanceID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byID[id]) > 0
}

// saw closes the cases of a machine that is there.
func (c *cases) saw(id cloud.InstanceID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sawLocked(id)
}

func (c *cases) sawLocked(id cloud.InstanceID) {
	for uid := range c.byID[id] {
		c.close(caseKey{id, uid})
	}
}

// void closes all cases: what they rest on was read with wrong credentials.
func (c *cases) void() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byID = map[cloud.InstanceID]map[string]*absence{}
	c.unread, c.waiting = map[caseKey]*absence{}, map[caseKey]*absence{}
}

// listed closes the cases of all machines in a list.
func (c *cases) listed(s *snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.byID {
		if s.byID[id] != nil {
			c.sawLocked(id)
		}
	}
}

// prune drops the cases of Nodes that are gone.
func (c *cases) prune(live map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, nodes := range c.byID {
		for uid := range nodes {
			if !live[uid] {
				c.close(caseKey{id, uid})
			}
		}
	}
}
