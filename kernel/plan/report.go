package plan

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Version is that of a Report's JSON form. It changes when a program that reads the old form
// could be misled by the new one; fields may be added without that.
const Version = 1

// Report is what would be done for many subjects.
type Report struct {
	Version int `json:"version"`
	// Cloud is the name of the cloud entry.
	Cloud string `json:"cloud"`
	// Scope are the parts that were looked at: "nodes", "routes", "services" and "firewall".
	Scope   []string `json:"scope"`
	Summary Summary  `json:"summary"`
	// Plans are those that have anything to say, in the order of execution.
	Plans []Entry `json:"plans"`
}

// Summary counts what a Report has.
type Summary struct {
	// Subjects is how many were looked at, Differing how many of them have something to be done.
	Subjects  int `json:"subjects"`
	Differing int `json:"differing"`
	Create    int `json:"create"`
	Update    int `json:"update"`
	Delete    int `json:"delete"`
	// Blocked are operations that were asked for and will not be made.
	Blocked int `json:"blocked"`
	// Failed is how many subjects could not be planned whole.
	Failed int `json:"failed"`
}

// Entry is the plan of one subject, and what else there is to say about it.
type Entry struct {
	Plan
	// Warnings are the events that the execution would record.
	Warnings []Warning `json:"warnings,omitempty"`
	// Notes are what else there is to know of the plan. Nothing is recorded of them.
	Notes []string `json:"notes,omitempty"`
	// Error says why the plan is not whole, nil when it is.
	Error *Failure `json:"error,omitempty"`
}

// Warning is an event that would be recorded.
type Warning struct {
	// Reason is one of the catalogue of events.
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Failure is an error and the class it has.
type Failure struct {
	Class   cloud.Class `json:"class"`
	Message string      `json:"message"`
	// parts are the texts of the errors that it joins.
	parts []string
}

// NewFailure returns the error in the form of a Report, nil for nil.
func NewFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	return &Failure{Class: cloud.FailureOf(err).Class, Message: err.Error(), parts: parts(err)}
}

// parts returns the texts of the errors that one joins, or its own.
func parts(err error) []string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}
	var texts []string
	for _, one := range joined.Unwrap() {
		texts = append(texts, parts(one)...)
	}
	return texts
}

func (e Entry) silent() bool {
	return len(e.Operations) == 0 && len(e.Warnings) == 0 && e.Error == nil
}

// NewReport counts the entries, each one of a subject that was looked at, and keeps those that
// have anything to say.
func NewReport(cloudName string, scope []string, entries []Entry) Report {
	r := Report{Version: Version, Cloud: cloudName, Scope: scope, Plans: []Entry{}}
	if r.Scope == nil {
		r.Scope = []string{}
	}
	r.Summary.Subjects = len(entries)
	for _, e := range entries {
		r.Summary.add(e)
		if e.silent() {
			continue
		}
		if e.Operations == nil {
			e.Operations = []cloud.Operation{}
		}
		r.Plans = append(r.Plans, e)
	}
	return r
}

func (s *Summary) add(e Entry) {
	if !e.Empty() {
		s.Differing++
	}
	if e.Error != nil {
		s.Failed++
	}
	for _, op := range e.Operations {
		switch {
		case op.Blocked != "":
			s.Blocked++
		case op.Verb == cloud.Create:
			s.Create++
		case op.Verb == cloud.Update:
			s.Update++
		case op.Verb == cloud.Delete:
			s.Delete++
		}
	}
}

// Differs reports whether there is anything to be done.
func (r Report) Differs() bool { return r.Summary.Differing > 0 }

// Failed reports whether something could not be planned.
func (r Report) Failed() bool { return r.Summary.Failed > 0 }
