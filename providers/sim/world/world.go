package world

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Options shape a new world. The zero value is a fast cloud without limits.
type Options struct {
	// Account is what the credentials belong to, "sim-account" by default.
	Account string
	// Region is the one region, "sim-1" by default. It has the zones a, b and c.
	Region string
	// Token is what requests of the driver's half must bear; any when "".
	Token string
	// PageSize is the longest list of machines in one answer, 100 by default.
	PageSize int
	// Forward makes balancers carry TCP: each gets a loopback address of its own and
	// probes its targets.
	Forward bool
	// Settings can be changed later.
	Settings Settings
}

// Settings are the temper of a world.
type Settings struct {
	// Latency delays every answer of the driver's half.
	Latency Duration `json:"latency"`
	// ActivateAfter is how long a new balancer is pending, and refuses changes.
	ActivateAfter Duration `json:"activate_after"`
	// DeleteAfter is how long a deleted balancer can still be seen.
	DeleteAfter Duration `json:"delete_after"`
	// OperationsTake is how long changes go on after their answer, which names an operation then. What
	// is being changed looks as before until that ends. 0 makes every answer final.
	OperationsTake Duration `json:"operations_take"`
	Quota          Quota    `json:"quota"`
}

// Quota limits what an account can have; 0 means no limit.
type Quota struct {
	Balancers int `json:"balancers"`
	// Targets and Listeners are per balancer.
	Targets   int `json:"targets"`
	Listeners int `json:"listeners"`
	Routes    int `json:"routes"`
}

// World is the cloud. It is safe for concurrent use; Close it to end its forwarders.
type World struct {
	options  Options
	mux      *http.ServeMux
	faults   faults
	counters counters

	mu       sync.Mutex
	settings Settings
	last     map[string]int // highest number given, by id prefix
	// All in order of creation.
	networks  []*Network
	machines  []*Machine
	balancers []*balancer
	routes    []*Route
	jobs      jobs
}

// New returns a world with one network and nothing in it.
func New(o Options) *World {
	if o.Account == "" {
		o.Account = "sim-account"
	}
	if o.Region == "" {
		o.Region = "sim-1"
	}
	if o.PageSize == 0 {
		o.PageSize = 100
	}
	w := &World{options: o, settings: o.Settings, last: map[string]int{}, mux: http.NewServeMux()}
	w.networks = []*Network{{ID: w.newID("net"), Name: "default", CIDR: "10.0.0.0/8"}}
	api{w}.handle()
	steering{w}.handle()
	return w
}

// ServeHTTP implements http.Handler.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) { w.mux.ServeHTTP(rw, r) }

// Close ends everything that runs: forwarders, probes and hung requests.
func (w *World) Close() {
	w.faults.clear()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.balancers {
		b.forwarder.close()
	}
}

// Zones returns the zones of the region.
func (w *World) Zones() []string {
	return []string{w.options.Region + "a", w.options.Region + "b", w.options.Region + "c"}
}

// Set changes the settings.
func (w *World) Set(s Settings) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settings = s
}

// newID returns the next id with that prefix.
func (w *World) newID(prefix string) string {
	w.last[prefix]++
	return prefix + "-" + strconv.Itoa(w.last[prefix])
}

// lock takes the state and brings it up to the present time.
func (w *World) lock() (unlock func()) {
	w.mu.Lock()
	w.advance(time.Now())
	return w.mu.Unlock
}

// Settle ends all waiting: operations end, pending balancers become active, deleted ones disappear.
func (w *World) Settle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range w.jobs {
		j.end = time.Time{}
	}
	for _, b := range w.balancers {
		b.activeAt = time.Time{}
		if b.Status == StatusDeleting {
			b.goneAt = time.Time{}
		}
	}
	w.advance(time.Now())
}

func (w *World) advance(now time.Time) {
	w.jobs.finish(now)
	w.balancers = slices.DeleteFunc(w.balancers, func(b *balancer) bool {
		return b.Status == StatusDeleting && !now.Before(b.goneAt)
	})
	for _, b := range w.balancers {
		if b.Status == StatusPending && !now.Before(b.activeAt) {
			b.Status = StatusActive
		}
	}
}

// Network is what private addresses belong to.
type Network struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	CIDR string `json:"cidr"`
}

// Failure is a refusal of the API.
type Failure struct {
	Status     int           `json:"-"`
	RetryAfter time.Duration `json:"-"`
	// Code tells failures of one status apart.
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Code, f.Message) }

// Codes of failures.
const (
	CodeUnauthorized = "unauthorized"
	CodeNotFound     = "not_found"
	CodeConflict     = "conflict"
	CodeInvalid      = "invalid"
	CodeQuota        = "quota_exceeded"
	CodeThrottled    = "throttled"
	CodeInternal     = "internal"
	CodeNoSuchCall   = "no_such_call"
)

func notFound(kind, id string) *Failure {
	return &Failure{Status: http.StatusNotFound, Code: CodeNotFound, Message: fmt.Sprintf("no %s %q", kind, id)}
}

func conflict(format string, args ...any) *Failure {
	return &Failure{Status: http.StatusConflict, Code: CodeConflict, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *Failure {
	return &Failure{Status: http.StatusUnprocessableEntity, Code: CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

func overQuota(what string, limit int) *Failure {
	return &Failure{Status: http.StatusForbidden, Code: CodeQuota, Message: fmt.Sprintf("this account can have %d %s", limit, what)}
}
