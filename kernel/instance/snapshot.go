package instance

import (
	"maps"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// snapshot is what one list said, together with what single reads added to it since. It is
// immutable: adding makes a new one that shares the records.
type snapshot struct {
	// started is when the list was started; zero when only single reads are in it.
	started time.Time
	// complete and trusted say what the list is good for besides proving presence.
	complete, trusted bool
	// size is how many machines the list had.
	size   int
	byID   map[cloud.InstanceID]*record
	byName map[string][]cloud.InstanceID
}

// record is a machine as it was when a read that started at seen returned it.
type record struct {
	cloud.Instance
	seen time.Time
}

func newSnapshot(list cloud.InstanceList, started time.Time) *snapshot {
	s := &snapshot{
		started: started, complete: list.Complete, size: len(list.Items),
		byID:   make(map[cloud.InstanceID]*record, len(list.Items)),
		byName: make(map[string][]cloud.InstanceID, len(list.Items)),
	}
	for _, item := range list.Items {
		s.add(item, started)
	}
	return s
}

// with returns a snapshot that knows these machines too.
func (s *snapshot) with(items []cloud.Instance, seen time.Time) *snapshot {
	c := *s
	c.byID, c.byName = maps.Clone(s.byID), maps.Clone(s.byName)
	for _, item := range items {
		c.add(item, seen)
	}
	return &c
}

// carry adds what single reads learnt after this list was started.
func (s *snapshot) carry(from *snapshot) {
	for _, r := range from.byID {
		if r.seen.After(s.started) {
			s.add(r.Instance, r.seen)
		}
	}
}

// add is for a snapshot that nobody else has yet.
func (s *snapshot) add(item cloud.Instance, seen time.Time) {
	if old := s.byID[item.ID]; old != nil && old.Name != item.Name {
		s.byName[old.Name] = without(s.byName[old.Name], item.ID)
	}
	item.Addresses = dedupe(item.Addresses)
	s.byID[item.ID] = &record{Instance: item, seen: seen}
	if ids := s.byName[item.Name]; !slices.Contains(ids, item.ID) {
		ids = append(slices.Clone(ids), item.ID)
		slices.Sort(ids)
		s.byName[item.Name] = ids
	}
}

func without(ids []cloud.InstanceID, id cloud.InstanceID) []cloud.InstanceID {
	return slices.DeleteFunc(slices.Clone(ids), func(other cloud.InstanceID) bool { return other == id })
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

// copied returns an instance that shares nothing with the snapshot: the framework appends
// to address lists.
func copied(instance cloud.Instance) cloud.Instance {
	instance.Addresses = slices.Clone(instance.Addresses)
	instance.Labels = maps.Clone(instance.Labels)
	instance.Attributes = maps.Clone(instance.Attributes)
	return instance
}
