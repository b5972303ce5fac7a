package loadbalancer

import (
	"errors"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// problem is one reason why a Service cannot be served as asked.
type problem struct {
	reason event.Reason
	err    error
}

func invalid(field, value, want string) problem {
	return problem{event.InvalidConfiguration, &cloud.Invalid{Field: field, Value: value, Want: want}}
}

// Problems is everything that is wrong with a Service, at once. Its failure class is
// FailureInvalid.
type Problems []error

func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i, err := range p {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lets errors.As find the *cloud.Invalid of each problem.
func (p Problems) Unwrap() []error { return p }

// combine returns all problems as one error, nil when there are none.
func combine(problems []problem) error {
	if len(problems) == 0 {
		return nil
	}
	var all Problems
	for _, p := range problems {
		all = append(all, p.err)
	}
	return all
}

// unjoin returns what a driver found wrong, one by one where it used errors.Join.
func unjoin(err error) []problem {
	type several interface {
		error
		Unwrap() []error
	}
	if joined, ok := errors.AsType[several](err); ok {
		var problems []problem
		for _, e := range joined.Unwrap() {
			problems = append(problems, unjoin(e)...)
		}
		return problems
	}
	if wrong, ok := errors.AsType[*cloud.Invalid](err); ok {
		return []problem{{event.InvalidConfiguration, wrong}}
	}
	if cloud.IsClass(err, cloud.FailureInvalid) {
		return []problem{{event.InvalidConfiguration, err}}
	}
	return []problem{{event.CloudFailure, err}}
}

// respell names annotations in problems as the Service does.
func (r *request) respell(problems []problem) []problem {
	for i, p := range problems {
		if wrong, ok := errors.AsType[*cloud.Invalid](p.err); ok {
			problems[i] = problem{p.reason, &cloud.Invalid{Field: r.written(wrong.Field), Value: wrong.Value, Want: wrong.Want}}
		}
	}
	return problems
}

// respellWarnings names annotations in notes as the Service does.
func (r *request) respellWarnings(notes []cloud.Warning) []cloud.Warning {
	notes = slices.Clone(notes)
	for i := range notes {
		notes[i].Field = r.written(notes[i].Field)
	}
	return notes
}
