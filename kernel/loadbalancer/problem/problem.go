// Package problem has what is wrong with a Service, and what is said of it in events.
package problem

import (
	"errors"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// Of returns a problem, which is one reason why a Service cannot be served as asked, said under the reason.
func Of(reason event.Reason, err error) Warning { return Warning{reason, err.Error(), err} }

// Invalid says that a field of the Service has to have another value.
func Invalid(field, value, want string) Warning {
	return Of(event.InvalidConfiguration, &cloud.Invalid{Field: field, Value: value, Want: want})
}

// Problems is everything that is wrong with a Service, at once. Its failure class is
// FailureInvalid.
type Problems []error

func (p Problems) Error() string {
	var all text
	for _, err := range p {
		all.add(err.Error())
	}
	return all.String()
}

// Unwrap lets errors.As find the *cloud.Invalid of each problem.
func (p Problems) Unwrap() []error { return p }

// Combine returns all problems as one error, nil when there are none.
func Combine(problems []Warning) error {
	if len(problems) == 0 {
		return nil
	}
	var all Problems
	for _, p := range problems {
		all = append(all, p.Err)
	}
	return all
}

// Add returns the problems with those others that are not about the same field: of that the first one is said. Where something is
// known to be wrong, only what the Service's user can mend is added: it may be the reason why anything else failed.
func Add(known, others []Warning) []Warning {
	if len(known) == 0 {
		return others
	}
	all := slices.Clone(known)
	for _, other := range others {
		invalid, ok := errors.AsType[*cloud.Invalid](other.Err)
		same := func(w Warning) bool {
			first, about := errors.AsType[*cloud.Invalid](w.Err)
			return about && ok && first.Field == invalid.Field
		}
		if ok && !slices.ContainsFunc(known, same) {
			all = append(all, other)
		}
	}
	return all
}

// Unjoin returns what a driver found wrong, one by one where it used errors.Join.
func Unjoin(err error) []Warning {
	type several interface {
		error
		Unwrap() []error
	}
	if joined, ok := errors.AsType[several](err); ok {
		var problems []Warning
		for _, e := range joined.Unwrap() {
			problems = append(problems, Unjoin(e)...)
		}
		return problems
	}
	if wrong, ok := errors.AsType[*cloud.Invalid](err); ok {
		return []Warning{Of(event.InvalidConfiguration, wrong)}
	}
	if cloud.IsClass(err, cloud.FailureInvalid) {
		return []Warning{Of(event.InvalidConfiguration, err)}
	}
	return []Warning{Of(event.CloudFailure, err)}
}
