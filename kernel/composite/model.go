package composite

import (
	"fmt"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// model is what a balancer consists of, and what it has to consist of. It does no I/O.
type model struct {
	// kinds are in the order of making, deletion in that of deleting.
	kinds, deletion []cloud.ResourceKind
	byName          map[string]cloud.ResourceKind
	// targets are the kinds whose resources are targets.
	targets map[string]bool
	// trials are resources that are made to see whether the cloud would take others.
	trials          map[cloud.IDOf]bool
	present, wanted *set
	// deletes says that the change is a deletion.
	deletes bool
	// serves says that another balancer of the Service is there, for which the Service's own
	// resources stay.
	serves bool
	// waiting are resources that cannot be deleted yet.
	waiting map[cloud.IDOf]bool
	// chosen are fields that the cloud chose of a balancer when it was made.
	chosen map[string]string
	// moving are resources that are about to refer to another one. Two can wait for each other's place.
	moving map[cloud.IDOf]bool
	// again is when what is left out is asked for, 0 for never.
	again time.Duration
}

func newModel(kinds []cloud.ResourceKind, r cloud.Resources, change cloud.Change) (*model, error) {
	m := &model{
		kinds: kinds, deletion: deletionOrder(kinds), byName: map[string]cloud.ResourceKind{}, targets: map[string]bool{}, trials: map[cloud.IDOf]bool{},
		present: newSet(), wanted: newSet(), again: r.Again,
		deletes: change.After == nil, serves: change.Replaced || change.Input.Beside != nil,
		waiting: map[cloud.IDOf]bool{}, moving: map[cloud.IDOf]bool{},
	}
	for _, k := range kinds {
		m.byName[k.Name] = k
		m.targets[k.Name] = k.Target
	}
	for _, r := range slices.Concat(r.Present, r.Wanted) {
		if _, known := m.byName[r.Kind]; !known {
			return nil, fmt.Errorf("the driver declares no resource of kind %q", r.Kind)
		}
		if r.Machine != "" && !m.targets[r.Kind] {
			return nil, fmt.Errorf("%s %s has a machine, and its kind is not declared as one of targets", r.Kind, r.Key)
		}
	}
	for _, r := range r.Present {
		if m.present.has(r.Ref()) {
			r.Key += " " + r.ID // a second one is not wanted
		}
		m.present.add(r)
	}
	for _, r := range r.Wanted {
		if m.wanted.has(r.Ref()) {
			return nil, fmt.Errorf("the driver wants %s %s twice", r.Kind, r.Key)
		}
		if r.Machine != "" && change.LeftOut[r.Machine] && !m.present.has(r.Ref()) {
			m.again = soonest(m.again, untilAsked)
			continue
		}
		m.wanted.add(r)
		if r.Trial != nil {
			m.trials[r.Trial.Ref()] = true
		}
	}
	return m, m.check()
}

// deletionOrder is the opposite of the order of making, except that a kind goes before the one it
// is found through, and what bears the ownership tags goes last.
func deletionOrder(kinds []cloud.ResourceKind) []cloud.ResourceKind {
	var order, last []cloud.ResourceKind
	added := map[string]bool{}
	add := func(k cloud.ResourceKind) {
		switch {
		case added[k.Name]:
		case k.Anchor:
			last = append(last, k)
		default:
			order = append(order, k)
		}
		added[k.Name] = true
	}
	for _, k := range slices.Backward(kinds) {
		for _, found := range kinds {
			if found.FoundThrough == k.Name {
				add(found)
			}
		}
		add(k)
	}
	return append(order, last...)
}

// set is resources of all kinds, in the order of the driver.
type set struct {
	byRef map[cloud.IDOf]cloud.Resource
	kinds map[string][]cloud.IDOf
}

func newSet() *set {
	return &set{byRef: map[cloud.IDOf]cloud.Resource{}, kinds: map[string][]cloud.IDOf{}}
}

func (s *set) has(ref cloud.IDOf) bool {
	_, ok := s.byRef[ref]
	return ok
}

func (s *set) add(r cloud.Resource) {
	s.byRef[r.Ref()] = r
	s.kinds[r.Kind] = append(s.kinds[r.Kind], r.Ref())
}

// untilAsked is the longest wait before a target is asked for that is left out.
const untilAsked = 5 * time.Minute

// soonest returns the shorter of two times, of which 0 is none.
func soonest(x, y time.Duration) time.Duration {
	if x == 0 || y == 0 {
		return max(x, y)
	}
	return min(x, y)
}

// check refuses a resource that refers to something that is neither there nor wanted, or to itself by
// way of others: it would wait for that for ever.
func (m *model) check() error {
	for _, s := range []*set{m.present, m.wanted} {
		if r, found := s.circular(); found {
			return fmt.Errorf("the driver says that %s %s refers to itself, by way of others", r.Kind, r.Key)
		}
	}
	for _, r := range m.wanted.byRef {
		for _, ref := range references(r) {
			if !m.present.has(ref) && !m.wanted.has(ref) {
				return fmt.Errorf("the driver's %s %s refers to %s %s, which is neither there nor wanted", r.Kind, r.Key, ref.Kind, ref.Key)
			}
		}
	}
	return nil
}

// circular returns a resource that refers to itself, by way of others.
func (s *set) circular() (ref cloud.IDOf, found bool) {
	ended := map[cloud.IDOf]bool{} // false for what is being followed
	var follow func(cloud.IDOf) bool
	follow = func(ref cloud.IDOf) bool {
		if end, known := ended[ref]; known {
			return !end
		}
		ended[ref] = false
		circular := slices.ContainsFunc(references(s.byRef[ref]), follow)
		ended[ref] = !circular
		return circular
	}
	for ref = range s.byRef {
		if follow(ref) {
			return ref, true
		}
	}
	return cloud.IDOf{}, false
}

// references are the resources that have to be there before this one.
//
//go:noinline // some twenty copies of it are 20 KB
func references(r cloud.Resource) []cloud.IDOf {
	return append(slices.Clone(r.Needs), referredBy(r.Fields.All()...)...)
}

// referredBy are the resources whose ids stand in fields, or something else of them.
//
//go:noinline // as references
func referredBy(fields ...cloud.FieldValue) (refs []cloud.IDOf) {
	for _, field := range fields {
		for _, ref := range field.References() {
			if !ref.IsKnown() {
				refs = append(refs, ref.Of)
			}
		}
	}
	return refs
}

// keep has a resource that is wanted otherwise stay as it is, and what needs it, because the cloud has refused another one in its
// place. It reports whether there is one.
func (m *model) keep(ref cloud.IDOf) bool {
	present, exists := m.present.byRef[ref]
	if !exists || !m.wanted.has(ref) {
		return false
	}
	m.wanted.byRef[ref] = present
	for other, wanted := range m.wanted.byRef {
		if as, there := m.present.byRef[other]; there && slices.Contains(wanted.Needs, ref) {
			m.wanted.byRef[other] = as
		}
	}
	return true
}
