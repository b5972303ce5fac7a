// Package traffic remembers what was asked of an emulator: counters per route
// and a log of requests.
package traffic

import (
	"maps"
	"strconv"
	"sync"
	"time"
)

// defaultKeep bounds the request log; the counters are never cut.
const defaultKeep = 200_000

// Request is one finished API request.
type Request struct {
	// N counts from 1 since the emulator started or was last reset.
	N      int    `json:"n"`
	Method string `json:"method"`
	// Path includes the query.
	Path string `json:"path"`
	// Route is method and route template, as in "GET /v2/droplets/{id}".
	Route string `json:"route"`
	// Status is what was answered; 0 when the connection was dropped or left hanging.
	Status int    `json:"status"`
	Body   string `json:"body,omitempty"`
	// Bytes is the size of the answer's body.
	Bytes int           `json:"bytes"`
	Start time.Time     `json:"start"`
	Took  time.Duration `json:"took_ns"`
}

// Route holds the counters of one route.
type Route struct {
	Requests int `json:"requests"`
	// Status counts by status code as text; "0" is no answer.
	Status map[string]int `json:"status"`
	Bytes  int            `json:"bytes"`
}

// Counters is a copy of all counters.
type Counters struct {
	Total int `json:"total"`
	// Mutating counts POST, PUT, PATCH and DELETE.
	Mutating int              `json:"mutating"`
	Routes   map[string]Route `json:"routes"`
}

// Of returns the number of requests of a route such as "GET /v2/droplets".
func (c Counters) Of(route string) int { return c.Routes[route].Requests }

// Book is the record. The zero value is ready.
type Book struct {
	// Keep is the length of the log in requests; 200,000 when 0. The oldest go first.
	Keep int

	mu       sync.Mutex
	counters Counters
	log      []Request
}

// Mutating says whether a method can change the cloud.
func Mutating(method string) bool {
	switch method {
	case "POST", "PUT", "PATCH", "DELETE":
		return true
	}
	return false
}

// Add records one request and sets its number.
func (b *Book) Add(r Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counters.Total++
	r.N = b.counters.Total
	if Mutating(r.Method) {
		b.counters.Mutating++
	}
	if b.counters.Routes == nil {
		b.counters.Routes = map[string]Route{}
	}
	c, ok := b.counters.Routes[r.Route]
	if !ok {
		c.Status = map[string]int{}
	}
	c.Requests++
	c.Bytes += r.Bytes
	c.Status[strconv.Itoa(r.Status)]++
	b.counters.Routes[r.Route] = c
	b.append(r)
}

func (b *Book) append(r Request) {
	keep := b.Keep
	if keep == 0 {
		keep = defaultKeep
	}
	b.log = append(b.log, r)
	if len(b.log) >= 2*keep { // cut rarely, so that each request costs O(1)
		b.log = append([]Request(nil), b.log[len(b.log)-keep:]...)
	}
}

// Counters returns a copy of the counters.
func (b *Book) Counters() Counters {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.counters
	c.Routes = make(map[string]Route, len(b.counters.Routes))
	for name, r := range b.counters.Routes {
		r.Status = maps.Clone(r.Status)
		c.Routes[name] = r
	}
	return c
}

// Requests returns a copy of the log, oldest first.
func (b *Book) Requests() []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Request{}, b.log...)
}

// Reset forgets everything.
func (b *Book) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counters, b.log = Counters{}, nil
}
