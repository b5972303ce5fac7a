// Package cache remembers what the cloud said about machines, and asks nothing.
package cache

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// FirstMiss is how long a definite not-found answers the next questions for the same machine.
	FirstMiss = 5 * time.Second
	// MaxMiss is how long it does at most: the time doubles with each one.
	MaxMiss = 30 * time.Second
	// keptMiss is how long one is remembered.
	keptMiss = 2 * MaxMiss
	// answerAge is how long the cloud's answer to a question for a name holds, unless a list
	// says otherwise: the Nodes of bare metal have names that no machine has.
	answerAge = time.Hour
)

// Key names a machine somebody asks for: by id, or by name where the Node has no id yet.
type Key struct {
	ID   cloud.InstanceID
	Name string
}

func (k Key) String() string {
	if k.ID != "" {
		return "machine " + string(k.ID)
	}
	return fmt.Sprintf("machine named %q", k.Name)
}

// miss remembers a definite not-found.
type miss struct {
	at   time.Time
	wait time.Duration
}

// answer is what the cloud said for a name: the machine, "" for none or several.
type answer struct {
	id cloud.InstanceID
	at time.Time
}

// Cache holds the machines of one cloud. It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	lists   Lists
	misses  map[Key]miss
	answers map[string]answer
	// assigned are the Nodes, by UID, that the listed machines were last known to be.
	assigned map[cloud.InstanceID]types.UID
}

// Lists are what is known of lists.
type Lists struct {
	// Installed is the newest list that is believed, Refused a newer one that is not, or nil.
	Installed, Refused *Snapshot
	// Started is when the newest list was started; zero when there was none.
	Started time.Time
	// Matched says that a list had the machine of a Node of ours: the account is the right one.
	Matched bool
}

// Lacks reports whether a newer list lacks the machine of the record: a complete one, although it is not believed. That proves
// nothing. The record of a machine that no list had is nil.
func (l Lists) Lacks(r *Record) bool {
	return l.Refused != nil && l.Refused.Complete && (r == nil || r.Seen.Before(l.Refused.Started))
}

// Install takes over a list that is believed.
func (l *Lists) Install(s *Snapshot) {
	s.carry(l.Installed)
	l.Installed, l.Refused = s, nil
}

// New returns a Cache that knows nothing yet.
func New() *Cache {
	return &Cache{
		lists:  Lists{Installed: NewSnapshot(cloud.InstanceList{}, time.Time{})},
		misses: map[Key]miss{}, answers: map[string]answer{}, assigned: map[cloud.InstanceID]types.UID{},
	}
}

// Lists returns what is known of lists.
func (c *Cache) Lists() Lists {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists
}

// Update changes what is known of lists.
func (c *Cache) Update(change func(*Lists)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.lists)
}

// Get returns the newest record of a machine, nil when there is none. A list that is not
// believed as a whole still proves the presence of what is in it.
func (c *Cache) Get(id cloud.InstanceID) *Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	newest := c.lists.Installed.byID[id]
	if c.lists.Refused != nil {
		if r := c.lists.Refused.byID[id]; r != nil && (newest == nil || r.Seen.After(newest.Seen)) {
			return r
		}
	}
	return newest
}

// Since is Get for a record that is not older.
func (c *Cache) Since(id cloud.InstanceID, since time.Time) *Record {
	if r := c.Get(id); r != nil && !r.Seen.Before(since) {
		return r
	}
	return nil
}

// Named returns the machines of a name, sorted by id, from the newest list that is believed, and from a newer one that is not
// as far as it is complete: it may hide machines, but those it has are there.
func (c *Cache) Named(name string) []*Record {
	lists := c.Lists()
	ids := lists.Installed.byName[name]
	if refused := lists.Refused; refused != nil && refused.Complete && len(refused.byName[name]) > 0 {
		ids = slices.Concat(ids, refused.byName[name])
		slices.Sort(ids)
		ids = slices.Compact(ids)
	}
	var records []*Record
	for _, id := range ids {
		if r := c.Get(id); r != nil {
			records = append(records, r)
		}
	}
	return records
}

// NamedSince is Named where the newest list that is believed started after since, nil where it did not.
func (c *Cache) NamedSince(name string, since time.Time) []*Record {
	if !c.Lists().Installed.Started.After(since) {
		return nil
	}
	return c.Named(name)
}

// Learn remembers machines that a direct read which started at seen returned.
func (c *Cache) Learn(items []cloud.Instance, seen time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lists.Installed = c.lists.Installed.with(items, seen)
}

// SetNamed remembers that these machines, and no others, have that name, as a search that started at seen found. What a list that started
// later said stays.
func (c *Cache) SetNamed(name string, machines []cloud.Instance, seen time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists.Installed.Started.After(seen) {
		return
	}
	renamed := *c.lists.Installed
	renamed.byName = maps.Clone(renamed.byName)
	renamed.byName[name] = IDs(machines)
	c.lists.Installed = &renamed
}

// Missed reports whether a definite not-found still answers for the machine.
func (c *Cache) Missed(k Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.misses[k]
	return ok && time.Since(m.at) < m.wait
}

// MissedSince reports whether a direct read that is still remembered did not find the machine, at since or later.
func (c *Cache) MissedSince(id cloud.InstanceID, since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.misses[Key{ID: id}]
	return ok && !m.at.Before(since) && time.Since(m.at) < keptMiss
}

// Miss remembers a definite not-found.
func (c *Cache) Miss(k Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait := min(max(2*c.misses[k].wait, FirstMiss), MaxMiss)
	c.misses[k] = miss{at: time.Now(), wait: wait}
}

// Answer returns what the cloud said for the name, and whether it was asked.
func (c *Cache) Answer(name string) (id cloud.InstanceID, asked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.answers[name]; ok && time.Since(a.at) < answerAge {
		return a.id, true
	}
	return "", false
}

// SetAnswer remembers what the cloud said for the name.
func (c *Cache) SetAnswer(name string, machines []cloud.Instance) {
	a := answer{at: time.Now()}
	if len(machines) == 1 {
		a.id = machines[0].ID
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[name] = a
}

// Prune drops misses and answers that nobody has asked for again.
func (c *Cache) Prune() {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.misses, func(_ Key, m miss) bool { return time.Since(m.at) >= keptMiss })
	maps.DeleteFunc(c.answers, func(_ string, a answer) bool { return time.Since(a.at) >= answerAge })
}

// A machine is often replaced by another one of the same name, and a provider-ID can never be
// changed. So a machine that was another Node's before is believed to be that of a new Node
// only after a direct read by name, and not for what a list said before the Node was there.

// Another reports whether the machine was last known to be another Node's.
func (c *Cache) Another(id cloud.InstanceID, node types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	assigned, known := c.assigned[id]
	return known && assigned != node
}

// Assign remembers that the machine is the Node's.
func (c *Cache) Assign(id cloud.InstanceID, node types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.assigned[id] = node
}

// Reassign takes over the machines that Nodes name. What was known of the others is kept for
// those in the list.
func (c *Cache) Reassign(s *Snapshot, assigned map[cloud.InstanceID]types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, node := range c.assigned {
		if _, now := assigned[id]; !now && s.Has(id) {
			assigned[id] = node
		}
	}
	c.assigned = assigned
}
