package ownership

import (
	"cmp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Candidate is a balancer that may be the Service's, as a driver read it.
type Candidate struct {
	ID, Name string
	// Owner is what its ownership tags say.
	Owner cloud.Owner
	// Deleting says that the cloud is deleting it.
	Deleting bool
	// Rank orders candidates that the same row of Choose finds: the smallest comes first, then the smallest id. It is for clouds where
	// a Service asks for one of several kinds of balancers.
	Rank int
}

// Search says what the balancer of a Service is looked for by.
type Search struct {
	cloud.Input
	// Names are those that the balancer may have. The first is what one that is made gets.
	Names []string
	// PassRefused says that a balancer which only has the first name is passed over when the Service may not have it. It is for clouds
	// where names are not unique: the Service can get another balancer of the same name. One with a further name is always passed over.
	PassRefused bool
}

// Choice is the balancer of a Service among candidates.
type Choice struct {
	// At is its index, -1 where there is none.
	At int
	// ByName says that only its name led to it: no id and no ownership tag.
	ByName bool
	// Rivals are the sorted ids of others that the same row finds by their names: nothing says which of them is the Service's.
	Rivals []string
	// Duplicates are the sorted ids of all others that are the Service's by their ownership tags, nil where there are none. Those that the
	// cloud is deleting are none.
	Duplicates []string
}

// Choose returns the balancer of the Service among those that a driver has read, where candidate translates one. It is pure. The first row
// that finds one decides:
//
//	looked for by                                 is enough
//	the id                                        always
//	the Service's UID in an ownership tag         where the tags name no other cluster
//	the Service's UID as the name, a<UID>         the same
//	a name                                        where the tags name the Service and this cluster
//	a name                                        where the tags name this cluster and no Service
//	a name                                        where the tags name nobody
//	a name                                        always, also when somebody else owns it
//
// Package safety judges afterwards whose it is. Of several that a row finds, those that the cloud is not deleting come first, then the
// smallest rank and id. Where a name found them, the others of the same rank are rivals, but for those that the last row finds.
// While Beside is set, the balancer in it is never found. Any other needs the UID and this cluster in its ownership tags, also where its id
// is recorded: that may come from a backup.
func Choose[T any](s Search, all []T, candidate func(T) Candidate) Choice {
	var candidates []Candidate
	for _, one := range all {
		candidates = append(candidates, candidate(one))
	}
	return s.choose(candidates)
}

// OneOf is Choose for a driver that observes what it has read without further requests. It returns what it observed of the balancer of
// the Service, and nothing found where there is none.
func OneOf[T any](s Search, all []T, observe func(T) cloud.Observed) cloud.Observed {
	observed := make([]cloud.Observed, len(all))
	for i, one := range all {
		observed[i] = observe(one)
	}
	chosen := Choose(s, observed, func(o cloud.Observed) Candidate {
		return Candidate{ID: o.ID, Name: o.Balancer.Name, Owner: o.Owner}
	})
	if chosen.At < 0 {
		return cloud.Observed{}
	}
	o := observed[chosen.At]
	o.ByName, o.Rivals, o.Duplicates = chosen.ByName, chosen.Rivals, chosen.Duplicates
	return o
}

func (s Search) choose(candidates []Candidate) Choice {
	order := s.order(candidates)
	rows := []func(Candidate) bool{
		func(c Candidate) bool { return s.ID != "" && c.ID == s.ID && (s.Beside == nil || s.isOurs(c)) },
		s.isOursByTag,
		s.isOurs,
		s.isNamedOf(Ours),
		s.isNamedOf(ThisCluster),
		s.isNamedOf(Nobody),
		s.isNamed,
	}
	choice := Choice{At: -1}
	for i, fits := range rows {
		found := slices.DeleteFunc(slices.Clone(order), func(at int) bool { return !fits(candidates[at]) })
		if len(found) == 0 {
			continue
		}
		choice.At = found[0]
		choice.ByName = i > 0 && !IsTagged(candidates[choice.At].Owner, s.Owner)
		if choice.ByName && i < len(rows)-1 {
			choice.Rivals = rivals(candidates, found)
		}
		break
	}
	for _, at := range order {
		if c := candidates[at]; at != choice.At && !c.Deleting && s.isOursByTag(c) {
			choice.Duplicates = append(choice.Duplicates, c.ID)
		}
	}
	slices.Sort(choice.Duplicates)
	return choice
}

// rivals are the ids of all but the first of those that were found, which are preferred as much.
func rivals(candidates []Candidate, found []int) (ids []string) {
	for _, at := range found[1:] {
		if comparePreference(candidates[at], candidates[found[0]]) == 0 {
			ids = append(ids, candidates[at].ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// order are the indices of the candidates that are considered, the preferred ones first.
func (s Search) order(candidates []Candidate) (order []int) {
	for at, c := range candidates {
		if serves := s.Beside != nil && s.Beside.ID == c.ID; !serves {
			order = append(order, at)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := candidates[i], candidates[j]
		return cmp.Or(comparePreference(a, b), cmp.Compare(a.ID, b.ID))
	})
	return order
}

// comparePreference orders candidates that the same row finds, before their ids do.
func comparePreference(a, b Candidate) int {
	if a.Deleting != b.Deleting {
		if b.Deleting {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.Rank, b.Rank)
}

// owner is what the ownership tags of a candidate say, or else the UID in its name.
func (s Search) owner(c Candidate) cloud.Owner {
	if c.Owner.UID == "" && IsInName(c.Name, s.Owner) {
		c.Owner.UID = s.Owner.UID
	}
	return c.Owner
}

func (s Search) isOursByTag(c Candidate) bool {
	if s.Beside != nil {
		return IsCertain(c.Owner, s.Owner)
	}
	return IsTagged(c.Owner, s.Owner)
}

// isOurs reports whether the Service's UID leads to a candidate, in its ownership tags or as its name.
func (s Search) isOurs(c Candidate) bool {
	return s.isOursByTag(c) || s.Beside == nil && IsTagged(s.owner(c), s.Owner)
}

// isNamed reports whether one of the names leads to a candidate.
func (s Search) isNamed(c Candidate) bool {
	if s.Beside != nil || !slices.Contains(s.Names, c.Name) {
		return false
	}
	return !slices.Contains(s.Refused, c.ID) || !s.PassRefused && c.Name == s.Names[0]
}

// isNamedOf is isNamed for a candidate of whom the ownership tags say this.
func (s Search) isNamedOf(whose Whose) func(Candidate) bool {
	return func(c Candidate) bool { return s.isNamed(c) && Of(c.Owner, s.Owner) == whose }
}
