// Package problem has what is wrong with a Service, and what is said of it in events.
package problem

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/operation"
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

// Only returns those that keep the Service from being served as asked.
func Only(warnings []Warning) []Warning {
	return slices.DeleteFunc(slices.Clone(warnings), func(w Warning) bool { return w.Err == nil })
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

// Warning is something to say on the Service.
type Warning struct {
	Reason  event.Reason
	Message string
	// Err is the problem that keeps the Service from being served as asked, nil where it is served in spite of it.
	Err error
}

// Warn returns a warning.
func Warn(reason event.Reason, message string) Warning {
	return Warning{Reason: reason, Message: message}
}

// text is a message of several parts, of which no more are repeated than an event holds. The zero value is empty.
type text struct {
	parts   []string
	length  int
	leftOut int
	cut     bool
}

const (
	// mostOfParts leaves room to say what is left out.
	mostOfParts = event.MostOfMessage - 200
	// mostOfPart leaves room to say that it is cut off.
	mostOfPart = mostOfParts - 50
)

// add adds a part, unless it is in the text already.
func (t *text) add(part string) {
	t.cut = t.cut || len(part) > mostOfPart
	part = cloud.Shorten(part, mostOfPart)
	length := len("; " + part)
	switch {
	case slices.Contains(t.parts, part):
	case len(t.parts) > 0 && t.length+length > mostOfParts:
		t.leftOut++
	default:
		t.parts, t.length = append(t.parts, part), t.length+length
	}
}

func (t *text) String() string {
	all := strings.Join(t.parts, "; ")
	if t.leftOut > 0 {
		all += fmt.Sprintf("; and %d more", t.leftOut)
	}
	return all
}

// Told returns what is said of a Service in events: one for each reason, so that a Service with five mistakes has one event, not five
// that push each other out. Where not all fits into one, it has the command that says all.
func Told(warnings []Warning, namespace, name string) []Warning {
	var told []Warning
	texts := map[string]*text{}
	for _, w := range warnings {
		if texts[w.Reason.Name] == nil {
			told, texts[w.Reason.Name] = append(told, w), &text{}
		}
		texts[w.Reason.Name].add(w.Message)
	}
	for i, w := range told {
		all := texts[w.Reason.Name]
		if told[i].Message = all.String(); all.leftOut > 0 || all.cut {
			told[i].Message += ": cloud-controller-manager explain service " + namespace + "/" + name
		}
	}
	return told
}

// Merge makes one warning of all that have the same reason, and several where they are long.
func Merge(warnings []Warning) []Warning {
	var merged []Warning
	at := map[string]int{}
	for _, r := range warnings {
		i, seen := at[r.Reason.Name]
		switch {
		case !seen || len(merged[i].Message)+len("; ")+len(r.Message) > event.MostOfMessage && !said(merged, r):
			at[r.Reason.Name] = len(merged)
			merged = append(merged, r)
		case !said(merged, r):
			merged[i].Message += "; " + r.Message
		}
	}
	return merged
}

// said reports whether the warning is part of one with the same reason.
func said(merged []Warning, r Warning) bool {
	return slices.ContainsFunc(merged, func(m Warning) bool {
		return m.Reason.Name == r.Reason.Name && strings.Contains(m.Message, r.Message)
	})
}

// OfDriver turns the warnings of a driver into events. A reason that is not in the catalogue counts
// as the generic one.
func OfDriver(notes []cloud.Warning) []Warning {
	var warnings []Warning
	for _, note := range notes {
		reason := event.ConfigurationIgnored
		for _, known := range event.All() {
			if known.Name == note.Reason && known.On == "Service" {
				reason = known
			}
		}
		warnings = append(warnings, Warn(reason, note.Field+": "+note.Message))
	}
	return warnings
}

// OfAnnotations sorts what is wrong with annotations into what is refused and what has no effect.
func OfAnnotations(found []annotation.Problem) (problems, warnings []Warning) {
	for _, p := range found {
		p.Value, p.Want, p.Idle = cloud.Shorten(p.Value, cloud.MostOfValue), cloud.Shorten(p.Want, mostOfPart/2), cloud.Shorten(p.Idle, mostOfPart/2)
		if p.Warning {
			warnings = append(warnings, Warn(event.ConfigurationIgnored, p.Error()))
			continue
		}
		problems = append(problems, Invalid(p.Key, p.Value, "want "+p.Want))
	}
	return problems, warnings
}

// Failure says that the cloud failed.
func Failure(err error) Warning {
	return Warn(event.CloudFailure, fmt.Sprintf("%s: %v", cloud.FailureOf(err).Class, err))
}

// Pending says that the cloud is busy: ask again after After. Its text does not name the
// time, so that repeated events about it are counted as one.
type Pending struct {
	After time.Duration
	// Ended is closed when the cloud is done, which may be earlier; nil when it does not tell.
	Ended <-chan struct{}
	// Reason says what is waited for.
	Reason string
	// Err is the failure behind it, nil when nothing failed.
	Err error
}

func (p *Pending) Error() string {
	if p.Err == nil {
		return p.Reason
	}
	return p.Reason + ": " + p.Err.Error()
}

func (p *Pending) Unwrap() error { return p.Err }

const (
	// PollFirst is how long to wait at first for a balancer that is pending where the cloud does not say.
	PollFirst = time.Second
	// doubled is until when each look at a balancer that is pending comes after twice the time of the one before, as far as there is
	// time until then.
	doubled = 8 * time.Second
)

// Working is why is waited for a balancer.
const Working = "the cloud is working on the balancer"

// LookAfter returns the wait for the next look at a balancer on which the cloud has worked for so long, where one look is one request:
// after 1, 2, 4 and 8 seconds, so that a cloud that is done at once keeps nobody waiting, then as operation.Interval has it.
func LookAfter(age time.Duration) time.Duration {
	if age < doubled {
		return max(min(age, doubled-age), PollFirst)
	}
	return operation.Interval(age, PollFirst)
}

// WaitFor says when to look at a change again, which the cloud may have said.
func WaitFor(progress cloud.Progress, reason string) *Pending {
	return &Pending{After: cmp.Or(progress.After, PollFirst), Reason: reason}
}

// How long to wait where the cloud does not say.
const (
	afterConflict = 3 * time.Second  // when something else is changing the balancer
	afterLimit    = 10 * time.Second // when the rate limit is exceeded
)

// Retryable turns failures that only need time into *Pending and returns others unchanged:
//
//	class      wait
//	throttled  what the cloud asked for, else afterLimit
//	conflict   afterConflict
func Retryable(err error) error {
	failure := cloud.FailureOf(err)
	switch failure.Class {
	case cloud.FailureThrottled:
		after := failure.RetryAfter
		if after <= 0 {
			after = afterLimit
		}
		return &Pending{After: after, Reason: "the cloud's rate limit is exceeded", Err: err}
	case cloud.FailureConflict:
		return &Pending{After: afterConflict, Reason: "the balancer is being changed by another request", Err: err}
	}
	return err
}
