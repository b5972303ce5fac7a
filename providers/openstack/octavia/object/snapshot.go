package object

import (
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Snapshot is a balancer with everything that belongs to it, as it was read.
type Snapshot struct {
	LB        Balancer
	Listeners []Listener
	// Pools are by their id; members and monitors by that of their pool.
	Pools    map[string]Pool
	Members  map[string][]Member
	Monitors map[string]Monitor
	// Floating is the floating IP at the balancer's port, nil when there is none; free is one
	// that was made for this Service and is attached nowhere, elsewhere one that is attached to
	// something else.
	Floating    *FloatingIP
	Free        *FloatingIP
	OnOtherPort *FloatingIP
	// Security is the managed security group.
	Security Security
	// Read is when the balancer was read, by the clock of the API, zero where its parts were not read whole.
	Read time.Time
	// Sole says, of a balancer that is given up, that a list has shown no other one of its Service.
	Sole bool
	// Answer says that it is the answer to the creation.
	Answer bool
}

// Native is what is handed over of a balancer: its snapshot.
var Native cloud.NativeOf[*Snapshot]

// calm is for how long nothing must have changed before what was read counts as all that
// happened until then. Octavia's stamps are whole seconds, so two changes can have the same.
const calm = 3 * time.Second

// StampFormat is that of Octavia's time stamps, in UTC.
const StampFormat = "2006-01-02T15:04:05"

// Still reports whether what was read then, with that stamp, is the same now if the stamp is:
//
//	stamp then and now  last change was       still
//	differ              –                     no
//	same                calm before reading   yes
//	same                closer                no: there may have been another change that second
func (s *Snapshot) Still(then, now string) bool {
	if s == nil || then == "" || then != now {
		return false
	}
	changed, err := time.Parse(StampFormat, then)
	return err == nil && !s.Read.IsZero() && s.Read.Sub(changed) >= calm
}

// isOf reports whether the parts that were read are those of the balancer now.
func (s *Snapshot) isOf(lb Balancer) bool {
	return s != nil && s.LB.ID == lb.ID && s.Still(s.LB.Updated, lb.Updated)
}

// IsSole reports whether the last look at the balancer with this id was in a list, or while it was being deleted, and knew of no other one.
func (s *Snapshot) IsSole(id string) bool { return s != nil && s.Sole && s.LB.ID == id }

// IsAnswer reports whether it has the answer to the creation of the balancer. It counts for the first look when all is made: the next
// one reads all.
func (s *Snapshot) IsAnswer(lb Balancer) bool { return s != nil && s.Answer && s.LB.ID == lb.ID }

// answers reports whether a new balancer's pool has the members and the monitor that it was made with. Octavia lets nobody change
// them before all is made.
func (s *Snapshot) answers(lb Balancer, p Pool) bool {
	return s.IsAnswer(lb) && s.Monitors[p.ID].ID == p.Monitor && len(s.Members[p.ID]) == len(p.Members) &&
		!slices.ContainsFunc(s.Members[p.ID], func(m Member) bool { return !slices.Contains(p.Members, Reference{m.ID}) })
}

// takeBehind takes members and monitor of a pool from an earlier snapshot, where they are known to be the same.
func (s *Snapshot) takeBehind(p Pool, last *Snapshot) bool {
	if !last.isOf(s.LB) && !last.Still(last.stampOf(p), p.Updated) && !last.answers(s.LB, p) {
		return false
	}
	members, known := last.Members[p.ID]
	if monitor, exists := last.Monitors[p.ID]; known && exists {
		s.Monitors[p.ID] = monitor
	}
	if known {
		s.Members[p.ID] = members
	}
	return known
}

// stampOf returns the time stamp that a pool had.
func (s *Snapshot) stampOf(p Pool) string {
	if s == nil {
		return ""
	}
	return s.Pools[p.ID].Updated
}

// LastOf returns the snapshot of the last observation, nil when there is none.
func LastOf(known cloud.Known) *Snapshot {
	if known.Last == nil {
		return nil
	}
	return Native.Open(known.Last.Native)
}

// Answer is what Octavia answers to the creation of a load balancer with all that it has.
type Answer struct {
	Balancer
	Pools []struct {
		ID      string   `json:"id"`
		Members []Member `json:"members"`
		Monitor Monitor  `json:"healthmonitor"`
	} `json:"pools"`
}

// Snapshot returns what is behind the listeners of the new balancer.
func (a Answer) Snapshot() *Snapshot {
	s := &Snapshot{LB: a.Balancer, Answer: true, Members: map[string][]Member{}, Monitors: map[string]Monitor{}}
	for _, p := range a.Pools {
		if s.Members[p.ID] = p.Members; p.Monitor.ID != "" {
			s.Monitors[p.ID] = p.Monitor
		}
	}
	return s
}
