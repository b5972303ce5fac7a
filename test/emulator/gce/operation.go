package gce

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sort"
	"strings"
	"time"
)

// operation is one long-running write.
type operation struct {
	path    string
	fields  fields // as answered, but for status and progress
	plan    plan
	target  string
	started time.Time
	failure *OperationFault
	status  string
	failed  *problem
	timer   *time.Timer
	seq     int
}

// Operations are those of all projects, with their faults.
type Operations struct {
	server   *Server
	all      map[string]*operation
	requests map[string]*operation // by request id
	busy     map[string]*operation // by the path of their object
	faults   []*OperationFault
}

func (o *Operations) stopTimers() {
	for _, op := range o.all {
		if op.timer != nil {
			op.timer.Stop()
		}
	}
}

func (o *Operations) clear() {
	o.stopTimers()
	o.all, o.requests, o.busy, o.faults = map[string]*operation{}, map[string]*operation{}, map[string]*operation{}, nil
}

// OperationFault makes operations fail after they were accepted.
type OperationFault struct {
	// Method selects operations by method, as in "forwardingRules.insert"; all when empty.
	Method string `json:"method,omitempty"`
	// Code and Message are the error's, as in "QUOTA_EXCEEDED"; Status is httpErrorStatusCode, 400 when 0.
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
	Status  int    `json:"status,omitempty"`
	// Apply carries the write out although the operation fails.
	Apply bool `json:"apply,omitempty"`
	// Times is how many operations fail; until cleared when 0.
	Times int `json:"times,omitempty"`

	hit int
}

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func (c *call) requestID() string { return c.query.Get("requestId") }

// repeated finds the operation of an earlier request with the same requestId.
func (c *call) repeated() (*operation, error) {
	request := c.requestID()
	if request == "" {
		return nil, nil
	}
	if !uuid.MatchString(request) || strings.Trim(request, "0-") == "" {
		return nil, broken("common/request-id", "Invalid value for field 'requestId': '%s'.", request)
	}
	return c.s.Operations.requests[c.requestKey()], nil
}

func (c *call) requestKey() string {
	return c.r.Method + " " + c.r.URL.Path + " " + c.requestID()
}

// operate starts the operation of a write on the object at a path and answers it.
func (c *call) operate(path, id string, p plan) (any, error) {
	if c.s.Operations.busy[path] != nil {
		return nil, broken("common/busy", "The resource '%s' is not ready", path)
	}
	carryOut, err := p()
	if err != nil {
		return nil, err
	}
	op := c.newOperation(path, id, p)
	if c.requestID() != "" {
		c.s.Operations.requests[c.requestKey()] = op
	}
	c.s.Operations.all[op.path] = op
	answer := c.s.Operations.view(op)
	switch {
	case c.s.options.Delay == 0:
		c.s.Operations.end(op, carryOut, nil)
		return answer, nil
	case c.s.options.Delay > 0:
		op.timer = time.AfterFunc(c.s.options.Delay, func() { c.s.change(func() { c.s.Operations.finish(op) }) })
	}
	c.s.Operations.busy[path] = op
	return answer, nil
}

func (c *call) newOperation(path, id string, p plan) *operation {
	c.store.serial++
	number := c.store.serial
	name := fmt.Sprintf("operation-%013d-%013x", c.s.options.Now().UnixMilli(), number)
	op := &operation{path: "projects/" + c.project.id + "/" + c.scope + "/operations/" + name, plan: p, target: path, started: c.s.options.Now(), status: "RUNNING", seq: number}
	op.fields = fields{
		"kind": "compute#operation", "id": fmt.Sprint(2_000_000_000_000_000_000 + number), "name": name, "operationType": c.verb,
		"targetLink": c.store.link(path), "targetId": id, "user": c.s.account(c.r).email, "selfLink": c.store.link(op.path),
		"insertTime": c.store.timestamp(), "startTime": c.store.timestamp(),
	}
	if c.requestID() != "" {
		op.fields["clientOperationId"] = c.requestID()
	}
	for _, scope := range []string{"zone", "region"} {
		if strings.HasPrefix(c.scope, scope+"s/") {
			op.fields[scope] = c.store.link("projects/" + c.project.id + "/" + c.scope)
		}
	}
	op.failure = c.s.Operations.takeFault(c.method)
	return op
}

func (o *Operations) takeFault(method string) *OperationFault {
	for _, f := range o.faults {
		if (f.Method == "" || f.Method == method) && (f.Times == 0 || f.hit < f.Times) {
			f.hit++
			return f
		}
	}
	return nil
}

// finish ends an operation that waited.
func (o *Operations) finish(op *operation) {
	if op.status == "DONE" {
		return
	}
	delete(o.busy, op.target)
	carryOut, err := op.plan()
	o.end(op, carryOut, err)
}

// end carries an operation out, or makes it fail.
func (o *Operations) end(op *operation, carryOut func(), err error) {
	op.status = "DONE"
	op.fields["endTime"] = o.server.store.timestamp()
	var p *problem
	switch {
	case op.failure != nil:
		status := op.failure.Status
		if status == 0 {
			status = http.StatusBadRequest
		}
		op.failed = &problem{status: status, reason: op.failure.Code, message: op.failure.Message}
		if op.failure.Apply && err == nil {
			carryOut()
		}
	case errors.As(err, &p):
		op.failed = &problem{status: p.status, reason: operationCode(p.reason), message: p.message}
	case err != nil:
		panic(err) // plans return problems: a bug
	default:
		carryOut()
	}
}

var capital = regexp.MustCompile(`[A-Z]`)

// operationCode is a reason as errors of operations write it: RESOURCE_IN_USE_BY_ANOTHER_RESOURCE.
func operationCode(reason string) string {
	switch reason {
	case "notFound", "alreadyExists":
		return "RESOURCE_" + strings.ToUpper(capital.ReplaceAllString(reason, "_$0"))
	}
	return strings.ToUpper(capital.ReplaceAllString(reason, "_$0"))
}

// view is the operation as it is answered now.
func (o *Operations) view(op *operation) fields {
	out := clone(op.fields).(fields)
	out["status"], out["progress"] = op.status, 100
	if op.status != "DONE" {
		out["progress"] = 0
		if o.server.options.Delay > 0 {
			out["progress"] = int(min(99, 100*o.server.options.Now().Sub(op.started)/o.server.options.Delay))
		}
	}
	if op.failed != nil {
		out["error"] = fields{"errors": []any{fields{"code": op.failed.reason, "message": op.failed.message}}}
		out["httpErrorStatusCode"], out["httpErrorMessage"] = op.failed.status, http.StatusText(op.failed.status)
	}
	return out
}

// operationOf finds the operation that a request names.
func (c *call) operationOf() (*operation, error) {
	path := "projects/" + c.project.id + "/" + c.scope + "/operations/" + c.params["operation"]
	op := c.s.Operations.all[path]
	if op == nil {
		return nil, broken("common/not-found", "The resource '%s' was not found", path)
	}
	return op, nil
}

// longPoll is how long wait waits at most, from its description.
const longPoll = 2 * time.Minute

// wait answers wait. It is called without the server's lock.
func (o *Operations) wait(ctx context.Context, op *operation) fields {
	ctx, cancel := context.WithTimeout(ctx, longPoll)
	defer cancel()
	ended := func() bool {
		o.server.mu.Lock()
		defer o.server.mu.Unlock()
		return op.status == "DONE"
	}
	_ = o.server.Until(ctx, ended) // the state is answered as it is
	o.server.mu.Lock()
	defer o.server.mu.Unlock()
	return o.view(op)
}

// listOperations answers the operations of a scope, newest last.
func (c *call) listOperations() (any, error) {
	var all []*resource
	for _, op := range c.s.Operations.all {
		if projectOf(op.path) == c.project.id && scopeOf(op.path) == c.scope {
			all = append(all, &resource{kind: &kind{name: "operations"}, path: op.path, fields: c.s.Operations.view(op)})
		}
	}
	return c.pageOf(all)
}

// Finish ends all operations that run, in the order in which they began.
func (o *Operations) Finish() {
	o.server.change(func() {
		var running []*operation
		for _, op := range o.busy {
			running = append(running, op)
		}
		sort.Slice(running, func(i, j int) bool { return running[i].seq < running[j].seq })
		for _, op := range running {
			o.finish(op)
		}
	})
}

// Fail makes operations fail after they were accepted.
func (o *Operations) Fail(f OperationFault) {
	o.server.change(func() { o.faults = append(o.faults, &f) })
}

// ClearFaults lets operations succeed again.
func (o *Operations) ClearFaults() { o.server.change(func() { o.faults = nil }) }

// HoldLists makes lists show what is there now, until ReleaseLists: a list that lags behind writes.
func (s *Server) HoldLists() { s.change(func() { s.held = s.store.snapshot() }) }

// ReleaseLists lets lists show the present again.
func (s *Server) ReleaseLists() { s.change(func() { s.held = nil }) }

// SetUnreachable makes zones or regions, as in "zones/us-central1-a", unreachable for lists; those
// that are left out are reachable.
func (s *Server) SetUnreachable(scopes ...string) {
	s.change(func() {
		s.unreachable = map[string]bool{}
		for _, scope := range scopes {
			s.unreachable[scope] = true
		}
	})
}
