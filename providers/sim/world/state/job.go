package state

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// job is an operation and what its end does.
type job struct {
	api.Operation
	// about is what it changes: that takes no other change meanwhile.
	about        string
	end          time.Time
	done, failed func()
	// late is why it will fail, nil when it will not.
	late *api.Failure
}

// jobs are all that have begun.
type jobs []*job

// job makes a change, or begins to and returns the operation that it is. What the failure undoes may be
// nil.
func (c *Cloud) job(late *api.Failure, about string, done, failed func()) []string {
	takes := time.Duration(c.settings.OperationsTake)
	if takes == 0 {
		done()
		return nil
	}
	j := &job{Operation: api.Operation{ID: c.newID("operation"), Running: true}, about: about, end: time.Now().Add(takes), done: done, failed: failed, late: late}
	c.jobs = append(c.jobs, j)
	return []string{j.ID}
}

// free refuses a change of what is being changed.
func (all jobs) free(about string) error {
	for _, j := range all {
		if j.Running && j.about == about {
			return api.Conflict("%s is being changed by %s", about, j.ID)
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

// Operations returns all that have begun.
func (c *Cloud) Operations() []api.Operation {
	defer c.lock()()
	list := []api.Operation{}
	for _, j := range c.jobs {
		list = append(list, j.Operation)
	}
	return list
}
