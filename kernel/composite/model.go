package composite

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// model is what a balancer consists of while a change is carried out. It does no I/O.
type model struct {
	// kinds are in the order of making, deletion in that of deleting.
	kinds, deletion []cloud.ResourceKind
	byName          map[string]cloud.ResourceKind
	present, wanted *set
	// deletes says that the change is a deletion.
	deletes bool
	// serves says that another balancer of the Service is there, for which the Service's own
	// resources stay.
	serves bool
	// refused are resources that the cloud has refused to make or change in this run, and
	// refusedBatch those of which it has refused the batch.
	refused, refusedBatch map[cloud.IDOf]bool
	// unknown are resources that were made along with another one in this run, whose ids are not known.
	unknown map[cloud.IDOf]bool
	// fitting are resources that were found to fit before the present one is deleted, former those that were deleted in this run
	// to be made again, and putBack says that one of these was refused, so that the former one is made.
	fitting map[cloud.IDOf]bool
	former  map[cloud.IDOf]cloud.Resource
	putBack bool
	// repeats says that the next run asks again for something that was refused.
	repeats bool
	// disturbed are the kinds of which nothing is known any more, see cloud.ResourceKind.
	disturbed map[string]bool
	// waiting are resources that cannot be deleted yet.
	waiting map[cloud.IDOf]bool
	// unseen says that this run follows a step that has settled, without a look at the balancer.
	unseen bool
	// made is what the cloud has answered of a balancer that was made in this run.
	made cloud.Made
	// progress is what the run has to tell so far.
	progress cloud.Progress
	// moving are resources that are about to refer to another one. Two can wait for each other's place.
	moving map[cloud.IDOf]bool
}

func newModel(kinds []cloud.ResourceKind, r cloud.Resources, change cloud.Change) (*model, error) {
	m := &model{
		kinds: kinds, deletion: deletionOrder(kinds), byName: map[string]cloud.ResourceKind{},
		deletes: change.After == nil, serves: change.Replaced || change.Input.Beside != nil,
		refused: map[cloud.IDOf]bool{}, refusedBatch: map[cloud.IDOf]bool{}, unknown: map[cloud.IDOf]bool{}, waiting: map[cloud.IDOf]bool{}, moving: map[cloud.IDOf]bool{},
		fitting: map[cloud.IDOf]bool{}, former: map[cloud.IDOf]cloud.Resource{}, disturbed: map[string]bool{},
	}
	for _, k := range kinds {
		m.byName[k.Name] = k
	}
	for _, r := range slices.Concat(r.Present, r.Wanted) {
		if _, known := m.byName[r.Kind]; !known {
			return nil, fmt.Errorf("the driver declares no resource of kind %q", r.Kind)
		}
	}
	m.present = newSet()
	for _, r := range r.Present {
		if m.present.has(r.Ref()) {
			r.Key += " " + r.ID // a second one is not wanted
		}
		m.present.add(r)
	}
	m.progress.Again = r.Again
	m.wanted = newSet()
	for _, r := range r.Wanted {
		if m.wanted.has(r.Ref()) {
			return nil, fmt.Errorf("the driver wants %s %s twice", r.Kind, r.Key)
		}
		if r.Machine != "" && change.LeftOut[r.Machine] && !m.present.has(r.Ref()) {
			m.progress.Again = soonest(m.progress.Again, untilAsked)
			continue
		}
		m.wanted.add(r)
	}
	return m, m.check()
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

// untilAsked is the longest wait before a target is asked for that is left out.
const untilAsked = 5 * time.Minute

func (m *model) hasRefusals() bool { return m.putBack || len(m.refused)+len(m.refusedBatch) > 0 }

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

// resolved returns a field with the id in place of what stands for it, as far as it is known.
func (m *model) resolved(value any) any {
	switch v := value.(type) {
	case cloud.IDOf:
		if id := m.present.byRef[v].ID; id != "" {
			return id
		}
	case cloud.FieldOf:
		if chosen := m.made.Fields[v.Field]; chosen != nil {
			return chosen
		}
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = m.resolved(item)
		}
		return items
	}
	return value
}

// difference returns the names of the fields that differ, sorted. Fields that only one side has are
// not compared.
func (m *model) difference(present, wanted cloud.Resource) []string {
	var fields []string
	for name, value := range wanted.Fields {
		is, managed := present.Fields[name]
		if managed && !reflect.DeepEqual(m.resolved(is), m.resolved(value)) {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return fields
}

// giveUp notes that wanted resources went again because that which they are there for is refused, see stays.
func giveUp(m *model, deleted []cloud.Resource) {
	for _, r := range deleted {
		if m.wanted.byRef[r.Ref()].For != (cloud.IDOf{}) {
			m.refused[r.Ref()] = true
		}
	}
}

// done changes the model as the step has changed the cloud. id is that of a resource that was made, ""
// when it is not known.
func (m *model) done(s *step, id string) {
	if s.verb == cloud.Delete && m.hasRefusals() {
		giveUp(m, s.all())
	}
	m.disturb(s)
	m.keepFormer(s)
	switch {
	case s.kind.Batch != "":
		m.present.remove(refsOf(m.present.batches(s.kind)[s.owner])...)
		for _, r := range s.with {
			m.present.add(r)
		}
	case s.verb == cloud.Create:
		s.wanted.ID = id
		for _, r := range s.with {
			m.unknown[r.Ref()] = s.kind.Together == ""
		}
		for _, r := range s.all() {
			m.present.add(r)
		}
	case s.verb == cloud.Update:
		changed := s.present
		changed.Fields = maps.Clone(changed.Fields)
		for _, field := range s.fields {
			changed.Fields[field] = s.wanted.Fields[field]
		}
		m.present.byRef[changed.Ref()] = changed
	case s.kind.Together != "" && len(s.kind.Takes) == 0: // nothing refers to them
		m.present.remove(refsOf(s.all())...)
	default:
		for _, r := range s.all() {
			m.deleted(r)
		}
	}
}

// deleted removes a resource with all that goes along. What led to it leads nowhere then.
func (m *model) deleted(r cloud.Resource) {
	gone := map[cloud.IDOf]bool{r.Ref(): true}
	for ref, other := range m.present.byRef {
		gone[ref] = gone[ref] || m.goesWith(other, r.Ref())
	}
	maps.DeleteFunc(gone, func(_ cloud.IDOf, is bool) bool { return !is })
	m.present.remove(slices.Collect(maps.Keys(gone))...)
	for ref, other := range m.present.byRef {
		for name, value := range other.Fields {
			if slices.ContainsFunc(idsIn(value), func(to cloud.IDOf) bool { return gone[to] }) {
				other.Fields = maps.Clone(other.Fields)
				other.Fields[name] = nil
				m.present.byRef[ref] = other
			}
		}
	}
}
