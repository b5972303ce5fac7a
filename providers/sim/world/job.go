package world

import (
	"net/http"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// MaxOperations is the most operations in one request.
const MaxOperations = 50

// Operation is a change that goes on after its answer.
type Operation struct {
	ID      string `json:"id"`
	Running bool   `json:"running"`
	// Failure is why it failed, nil while it runs or when it is done.
	Failure *Failure `json:"failure,omitempty"`
}

func (o Operation) state() cloud.OperationState {
	state := cloud.OperationState{Running: o.Running}
	if o.Failure != nil {
		state.Err = o.Failure
	}
	return state
}

// job is an operation and what its end does.
type job struct {
	Operation
	// about is what it changes: that takes no other change meanwhile.
	about        string
	end          time.Time
	done, failed func()
	// late is why it will fail, nil when it will not.
	late *Failure
}

// jobs are all that have begun.
type jobs []*job

// job makes a change, or begins to and returns the operation that it is. What the failure undoes may be
// nil.
func (w *World) job(c call, about string, done, failed func()) []string {
	takes := time.Duration(w.settings.OperationsTake)
	if takes == 0 {
		done()
		return nil
	}
	j := &job{Operation: Operation{ID: w.newID("operation"), Running: true}, about: about, end: time.Now().Add(takes), done: done, failed: failed}
	if c.effect == EffectLate {
		j.late = &Failure{Status: http.StatusOK, Code: c.code, Message: "it failed afterwards"}
	}
	w.jobs = append(w.jobs, j)
	return []string{j.ID}
}

// free refuses a change of what is being changed.
func (all jobs) free(about string) error {
	for _, j := range all {
		if j.Running && j.about == about {
			return conflict("%s is being changed by %s", about, j.ID)
		}
	}
	return nil
}

func (all jobs) finish(now time.Time) {
	for _, j := range all {
		if !j.Running || now.Before(j.end) {
			continue
		}
		j.Running, j.Failure = false, j.late
		switch {
		case j.late == nil:
			j.done()
		case j.failed != nil:
			j.failed()
		}
	}
}

// opListOperations takes the filter id=… repeatedly. What is not known is missing.
func (w api) opListOperations(c call) (int, any, error) {
	ids := c.URL.Query()["id"]
	if len(ids) > MaxOperations {
		return 0, nil, invalid("%d operations are more than %d", len(ids), MaxOperations)
	}
	defer w.lock()()
	list := OperationList{Operations: []Operation{}}
	for _, j := range w.jobs {
		if slices.Contains(ids, j.ID) {
			list.Operations = append(list.Operations, j.Operation)
		}
	}
	return http.StatusOK, list, nil
}
