package hcloud

import "slices"

// identified is a resource with an id.
type identified interface{ id() int64 }

// store holds the resources of one kind in the order of their ids.
type store[T identified] struct {
	all  []T
	byID map[int64]T
}

func newStore[T identified]() store[T] { return store[T]{byID: map[int64]T{}} }

// put adds a resource, or replaces the one with the same id.
func (s *store[T]) put(one T) {
	at, found := s.position(one.id())
	if found {
		s.all[at] = one
	} else {
		s.all = slices.Insert(s.all, at, one)
	}
	s.byID[one.id()] = one
}

// remove takes a resource away and says whether it was there.
func (s *store[T]) remove(id int64) bool {
	at, found := s.position(id)
	if found {
		s.all = slices.Delete(s.all, at, at+1)
		delete(s.byID, id)
	}
	return found
}

func (s *store[T]) position(id int64) (int, bool) {
	return slices.BinarySearchFunc(s.all, id, func(one T, id int64) int { return int(one.id() - id) })
}
