package bench

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// account is who the binary is to the API server.
const account = "system:serviceaccount:" + lab.Namespace + ":" + lab.ServiceAccount

// Calls are requests to the cloud.
type Calls struct {
	Total int `json:"total"`
	// Writes are those that can change the cloud.
	Writes int `json:"writes"`
	// Throttled were answered by 429.
	Throttled int `json:"throttled"`
	// Routes counts by method and path template.
	Routes map[string]int `json:"routes"`
}

// Writes are changing requests to the API server.
type Writes struct {
	Total int `json:"total"`
	// Kinds counts by verb and resource, as in "patch nodes/status".
	Kinds map[string]int `json:"kinds"`
	// Conflicts had to be repeated.
	Conflicts int `json:"conflicts"`
	// Refused are those that the API server had no time for.
	Refused int `json:"refused"`
}

// moment is the beginning of a measurement.
type moment struct {
	at       time.Time
	counters traffic.Counters
}

func (r *run) now() moment { return moment{time.Now(), r.lab.Cloud.Counters()} }

// calls returns the requests to the cloud since m.
func (r *run) calls(m moment) Calls {
	c := difference(m.counters, r.lab.Cloud.Counters())
	c.Writes -= c.Routes[r.facts.Login] // which is a POST
	return c
}

func difference(before, after traffic.Counters) Calls {
	c := Calls{Total: after.Total - before.Total, Writes: after.Mutating - before.Mutating, Routes: map[string]int{}}
	for name, route := range after.Routes {
		old := before.Routes[name]
		if n := route.Requests - old.Requests; n > 0 {
			c.Routes[name] = n
		}
		c.Throttled += route.Status["429"] - old.Status["429"]
	}
	return c
}

// writes returns what the binary changed in the cluster since m.
func (r *run) writes(m moment) (Writes, error) {
	events, err := r.lab.AuditEvents(controlplane.AuditFilter{User: account, Verbs: controlplane.WriteVerbs(), Since: m.at})
	if err != nil {
		return Writes{}, err
	}
	return tally(events), nil
}

func tally(events []controlplane.AuditEvent) Writes {
	w := Writes{Total: len(events), Kinds: map[string]int{}}
	for _, e := range events {
		kind := e.Verb + " " + e.Object.Resource
		if e.Object.Subresource != "" {
			kind += "/" + e.Object.Subresource
		}
		w.Kinds[kind]++
		switch e.Response.Code {
		case http.StatusConflict:
			w.Conflicts++
		case http.StatusTooManyRequests:
			w.Refused++
		}
	}
	return w
}

// settle waits until the cloud was not asked for anything for a while.
func (r *run) settle(ctx context.Context, quiet time.Duration) error {
	last, since := r.lab.Cloud.Counters().Total, time.Now()
	return controlplane.Eventually(ctx, func(context.Context) error {
		if total := r.lab.Cloud.Counters().Total; total != last {
			last, since = total, time.Now()
		}
		if idle := time.Since(since); idle < quiet {
			return fmt.Errorf("the cloud was asked %v ago", idle.Round(time.Millisecond))
		}
		return nil
	})
}

// plus adds calls up.
func (c Calls) plus(other Calls) Calls {
	sum := Calls{Total: c.Total + other.Total, Writes: c.Writes + other.Writes, Throttled: c.Throttled + other.Throttled, Routes: maps.Clone(c.Routes)}
	for route, n := range other.Routes {
		sum.Routes[route] += n
	}
	return sum
}
