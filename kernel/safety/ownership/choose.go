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
	// Names are those that the balancer may have.
	Names []string
	// PassRefused says that a balancer which only has the name is passed over when the Service may not have it. It is for clouds where
	// names are not unique: the Service can get another balancer of the same name.
	PassRefused bool
}

// Choice is the balancer of a Service among candidates.
type Choice struct {
	// At is its index, -1 where there is none.
	At int
	// ByName says that only its name led to it: no id and no ownership tag.
	ByName bool
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
//	the Service's UID, in a tag or as the name    always: the other cluster may be a former name of this one
//	a name                                        where the ownership tags say nothing else
//	a name                                        always, also when somebody else owns it
//
// Package safety judges afterwards whose it is. The other cluster may also have been restored from the same backup: when a
// Service is deleted, only the id leads to such a balancer. Of several that a row finds, those that the cloud is not deleting come first.
// While Beside is set, the balancer in it is never found. Any other needs the UID and this cluster in its ownership tags, also where its id
// is recorded: that may come from the backup too.
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
	o.ByName, o.Duplicates = chosen.ByName, chosen.Duplicates
	return o
}

func (s Search) choose(candidates []Candidate) Choice {
	order := s.order(candidates)
	rows := []func(Candidate) bool{
		func(c Candidate) bool { return s.ID != "" && c.ID == s.ID && (s.Beside == nil || s.isTagged(c)) },
		s.isOursByTag,
		s.isOurs,
		s.isTagged,
		func(c Candidate) bool { return s.isNamed(c) && s.mayBeOurs(c) },
		s.isNamed,
	}
	choice := Choice{At: -1}
	for i, fits := range rows {
		if at := slices.IndexFunc(order, func(at int) bool { return fits(candidates[at]) }); at >= 0 {
			choice.At = order[at]
			choice.ByName = i > 0 && !IsTagged(candidates[choice.At].Owner, s.Owner)
			break
		}
	}
	for _, at := range order {
		if c := candidates[at]; at != choice.At && !c.Deleting && s.isOursByTag(c) {
			choice.Duplicates = append(choice.Duplicates, c.ID)
		}
	}
	slices.Sort(choice.Duplicates)
	return choice
}

// order are the indices of the candidates that are considered, the preferred ones first.
func (s Search) order(candidates []Candidate) (order []int) {
	for at, c := range candidates {
		serves := s.Beside != nil && s.Beside.ID == c.ID
		elsewhere := s.Deleting && c.ID != s.ID && s.isTagged(c) && !s.isOurs(c)
		if !serves && !elsewhere {
			order = append(order, at)
		}
	}
	deleting := func(c Candidate) int {
		if c.Deleting {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := candidates[i], candidates[j]
		return cmp.Or(cmp.Compare(deleting(a), deleting(b)), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.ID, b.ID))
	})
	return order
}

// owner is what the ownership tags of a candidate say, or else the UID in its name.
func (s Search) owner(c Candidate) cloud.Owner {
	if c.Owner.UID == "" && IsInName(c.Name, s.Owner) {
		c.Owner.UID = s.Owner.UID
	}
	return c.Owner
}

func (s Search) isOursByTag(c Candidate) bool { return IsTagged(c.Owner, s.Owner) && s.isOurs(c) }

func (s Search) isOurs(c Candidate) bool {
	return s.isTagged(c) && Of(s.owner(c), s.Owner) == Ours
}

// isTagged reports whether the Service's UID leads to a candidate.
func (s Search) isTagged(c Candidate) bool {
	if s.Beside != nil {
		return IsCertain(c.Owner, s.Owner)
	}
	return IsTagged(s.owner(c), s.Owner)
}

func (s Search) isNamed(c Candidate) bool {
	return s.Beside == nil && slices.Contains(s.Names, c.Name) && (!s.PassRefused || !slices.Contains(s.Refused, c.ID))
}

// mayBeOurs reports whether the ownership tags of a candidate do not say that it is somebody else's.
func (s Search) mayBeOurs(c Candidate) bool {
	whose := Of(c.Owner, s.Owner)
	return whose == Ours || whose == ThisCluster || whose == Nobody
}
