package hcloud

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// resource names what an action is about.
type resource struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

// action is one write that goes on after its answer.
type action struct {
	project   *Project
	ID        int64        `json:"id"`
	Status    string       `json:"status"`
	Command   string       `json:"command"`
	Progress  int          `json:"progress"`
	Started   time.Time    `json:"started"`
	Finished  *time.Time   `json:"finished"`
	Error     *actionError `json:"error"`
	Resources []resource   `json:"resources"`

	plan    plan
	failed  func(actionError) // what a failure does; nil for nothing
	failure *ActionFault
	timer   *time.Timer
}

type actionError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (a *action) id() int64 { return a.ID }

// The states of actions.
const (
	actionRunning = "running"
	actionSuccess = "success"
	actionFailed  = "error"
)

// plan checks a write and returns what carries it out. It is asked when the request comes in and
// again when the action ends, as what it names may be gone by then.
type plan func() (carryOut func(), err error)

var actionRules = []Rule{
	{ID: "action/locked", Where: "writes", Text: "no action runs on the resource", Source: fromVendor, Status: 423, Code: "locked"},
	{ID: "action/lock", Where: "writes", Text: "every action locks its load balancer or network until it ends", Source: guess, IfWrong: "a driver may send several actions of one resource without waiting for each", Silent: true},
	{ID: "action/conflict", Where: "writes", Text: "with Options.Conflict the answer to a write to what an action runs on is a conflict", Source: fromClient, Status: 409, Code: "conflict"},
	{ID: "action/effect", Where: "writes", Text: "what an action does shows in the resource when it ends, not before", Source: guess, IfWrong: "a driver sees its change earlier; it must not take that for the end", Silent: true},
	{ID: "action/at-once", Where: "writes", Text: "the answer to a write says that its action runs; with Options.AtOnce it can say that it has ended", Source: guess, IfWrong: "a driver waits for less, or for more: it goes by the status in the answer", Silent: true},
	{ID: "action/ids", Where: "GET /actions", Text: "ids are named; the list of all actions was removed", Source: fromClient, Status: 410, Code: "deprecated_api_endpoint"},
	{ID: "action/unknown-id", Where: "GET /actions", Text: "an id that does not exist, or is another project's, is left out of the list", Source: fromClient, Silent: true},
	{ID: "action/kept", Where: "GET /actions", Text: "actions can be read as long as the emulator runs", Source: guess, IfWrong: "old actions vanish; a driver that finds an action gone reads the resource", Silent: true},
}

// free refuses a write to something that an action runs on.
func (c *call) free(r resource) error {
	running := c.server.busy[r]
	switch {
	case running == nil:
		return nil
	case c.server.options.Conflict:
		return broken("action/conflict", "%s with ID %d has a running action %d", r.Type, r.ID, running.ID)
	}
	return broken("action/locked", "%s with ID %d is locked by action %d", r.Type, r.ID, running.ID)
}

// act starts the action of a write on the first of the resources, which it locks until it ends.
func (c *call) act(command string, p plan, on ...resource) (action, error) {
	if err := c.free(on[0]); err != nil {
		return action{}, err
	}
	if _, err := p(); err != nil {
		return action{}, err
	}
	return c.begin(&action{Command: command, Resources: on, plan: p}, c.server.options.Delay), nil
}

// begin starts an action that has been checked and returns it as it is then: running.
func (c *call) begin(a *action, delay time.Duration) action {
	s := c.server
	a.project, a.ID, a.Status, a.Started = c.project, s.newID("action"), actionRunning, s.now()
	a.failure = s.takeActionFault(a.Command)
	s.actions[a.ID], s.busy[a.Resources[0]] = a, a
	running := *a
	switch {
	case delay == 0 && s.options.AtOnce:
		s.finish(a)
		return *a
	case delay == 0:
		s.finish(a)
	case delay > 0:
		a.timer = time.AfterFunc(delay, func() { s.change(func() { s.finish(a) }) })
	}
	return running
}

// finish ends an action, carrying it out or failing.
func (s *Server) finish(a *action) {
	if a.Status != actionRunning {
		return
	}
	if s.busy[a.Resources[0]] == a {
		delete(s.busy, a.Resources[0])
	}
	ended := s.now()
	a.Finished, a.Progress, a.Status = &ended, 100, actionSuccess
	carryOut, err := a.plan()
	var p *problem
	switch {
	case a.failure != nil:
		a.Status, a.Error = actionFailed, &actionError{Code: a.failure.Code, Message: a.failure.Message}
		if a.failure.Apply && err == nil {
			carryOut()
		}
	case errors.As(err, &p):
		a.Status, a.Error = actionFailed, &actionError{Code: p.code, Message: p.message}
	case err != nil:
		panic(err) // plans return problems: a bug
	default:
		carryOut()
	}
	if a.Error != nil && a.failed != nil {
		a.failed(*a.Error)
	}
}

// FinishActions ends all actions that run now.
func (s *Server) FinishActions() {
	s.change(func() {
		for _, id := range slices.Sorted(maps.Keys(s.actions)) {
			s.finish(s.actions[id])
		}
	})
}

// SetDelay changes how long actions that begin from now on run, issuances too; see Options.Delay.
func (s *Server) SetDelay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Delay, s.options.IssueDelay = d, d
}

func (s *Server) stopTimers() {
	for _, a := range s.actions {
		if a.timer != nil {
			a.timer.Stop()
		}
	}
}

var actionList = listing[*action]{
	name: "actions",
	order: map[string]func(a, b *action) int{
		"id": by((*action).id), "command": by(func(a *action) string { return a.Command }),
		"status": by(func(a *action) string { return a.Status }), "started": byTime(func(a *action) time.Time { return a.Started }),
		"finished": byTime(func(a *action) time.Time {
			if a.Finished == nil {
				return time.Time{}
			}
			return *a.Finished
		}),
	},
	filters: map[string]func(*action, string) bool{
		"id":     func(a *action, id string) bool { return strconv.FormatInt(a.ID, 10) == id },
		"status": func(a *action, status string) bool { return a.Status == status },
	},
}

func listActions(c *call) (reply, error) {
	wanted := c.URL.Query()["id"]
	if len(wanted) == 0 {
		return reply{}, broken("action/ids", "listing all actions is not supported any more, pass ids")
	}
	var named []*action
	for _, text := range wanted {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return reply{}, invalid("common/query", "id", "%q is no number", text)
		}
		if a := c.server.actions[id]; a != nil && a.project == c.project && !slices.Contains(named, a) {
			named = append(named, a)
		}
	}
	slices.SortFunc(named, by((*action).id))
	return actionList.answer(c, named, func(a *action) any { return a })
}

func getAction(c *call) (reply, error) {
	a := c.server.actions[c.identifier()]
	if a == nil || a.project != c.project {
		return reply{}, notFound("action")
	}
	return reply{body: map[string]any{"action": a}}, nil
}

// actionReply is the answer to the start of an action.
func actionReply(a action, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusCreated, body: map[string]any{"action": a}}, nil
}

// ActionFault makes actions fail after they were accepted.
type ActionFault struct {
	// Command selects actions, as in "add_target"; all when empty.
	Command string `json:"command,omitempty"`
	// Code and Message are the error's, as in "action_failed".
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
	// Apply carries the write out although the action fails.
	Apply bool `json:"apply,omitempty"`
	// Times is how many actions fail; until cleared when 0.
	Times int `json:"times,omitempty"`

	hit int
}

// FailActions makes actions that begin from now on fail.
func (s *Server) FailActions(f ActionFault) error {
	if f.Code == "" {
		return fmt.Errorf("an action fault needs a code")
	}
	s.change(func() { s.faults = append(s.faults, &f) })
	return nil
}

// ClearActionFaults lets actions succeed again.
func (s *Server) ClearActionFaults() { s.change(func() { s.faults = nil }) }

func (s *Server) takeActionFault(command string) *ActionFault {
	for _, f := range s.faults {
		if (f.Command == "" || f.Command == command) && (f.Times == 0 || f.hit < f.Times) {
			f.hit++
			return f
		}
	}
	return nil
}
