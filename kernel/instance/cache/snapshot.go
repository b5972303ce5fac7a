package cache

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Snapshot is what one list said, together with what single reads added to it since. It is
// immutable: adding makes a new one that shares the records.
type Snapshot struct {
	// Started is when the list was started; zero when only single reads are in it.
	Started time.Time
	// Complete says that no part of the list is missing.
	Complete bool
	// Size is how many machines the list had.
	Size   int
	byID   map[cloud.InstanceID]*Record
	byName map[string][]cloud.InstanceID
}

// Record is a machine as it was when a read that started at Seen returned it.
type Record struct {
	cloud.Instance
	Seen time.Time
}

// NewSnapshot returns the snapshot of a list.
func NewSnapshot(list cloud.InstanceList, started time.Time) *Snapshot {
	s := &Snapshot{
		Started: started, Complete: list.Complete, Size: len(list.Items),
		byID:   make(map[cloud.InstanceID]*Record, len(list.Items)),
		byName: make(map[string][]cloud.InstanceID, len(list.Items)),
	}
	for _, item := range list.Items {
		s.add(item, started)
	}
	return s
}

// Has reports whether the machine is in the snapshot.
func (s *Snapshot) Has(id cloud.InstanceID) bool { return s.byID[id] != nil }

// All returns the records by id, in no order.
func (s *Snapshot) All() iter.Seq2[cloud.InstanceID, *Record] { return maps.All(s.byID) }

// with returns a snapshot that knows these machines too, as a read that started at seen returned them. What a later one said stays. Whose a name
// is a list says, until a search that began later.
func (s *Snapshot) with(items []cloud.Instance, seen time.Time) *Snapshot {
	c := *s
	c.byID, c.byName = maps.Clone(s.byID), maps.Clone(s.byName)
	for _, item := range items {
		if old := s.byID[item.ID]; old != nil && old.Seen.After(seen) {
			continue
		}
		c.add(item, seen)
		if s.Started.After(seen) {
			c.byName[item.Name] = s.byName[item.Name]
		}
	}
	return &c
}

// carry adds what single reads learnt after this list was started.
func (s *Snapshot) carry(from *Snapshot) {
	for _, r := range from.byID {
		if r.Seen.After(s.Started) {
			s.add(r.Instance, r.Seen)
		}
	}
}

// add is for a snapshot that nobody else has yet.
func (s *Snapshot) add(item cloud.Instance, seen time.Time) {
	if old := s.byID[item.ID]; old != nil && old.Name != item.Name {
		s.byName[old.Name] = slices.DeleteFunc(slices.Clone(s.byName[old.Name]), func(id cloud.InstanceID) bool { return id == item.ID })
	}
	item.Addresses = dedupe(item.Addresses)
	s.byID[item.ID] = &Record{Instance: item, Seen: seen}
	if ids := s.byName[item.Name]; !slices.Contains(ids, item.ID) {
		ids = append(slices.Clone(ids), item.ID)
		slices.Sort(ids)
		s.byName[item.Name] = ids
	}
}

// dedupe drops repeated addresses: the API server refuses a Node that has one twice.
func dedupe(addresses []cloud.Address) []cloud.Address {
	unique := make([]cloud.Address, 0, len(addresses))
	for _, a := range addresses {
		if !slices.Contains(unique, a) {
			unique = append(unique, a)
		}
	}
	return unique
}

// Copy returns an instance that shares nothing with the cache: the framework appends to address lists.
func Copy(instance cloud.Instance) cloud.Instance {
	instance.Addresses = slices.Clone(instance.Addresses)
	instance.Labels = maps.Clone(instance.Labels)
	instance.Attributes = maps.Clone(instance.Attributes)
	return instance
}

// IDs returns the sorted ids of machines.
func IDs(machines []cloud.Instance) []cloud.InstanceID {
	ids := make([]cloud.InstanceID, len(machines))
	for n := range machines {
		ids[n] = machines[n].ID
	}
	slices.Sort(ids)
	return ids
}
