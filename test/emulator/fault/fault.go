// Package fault says how the answers of an emulated API go wrong. Nothing is
// left to chance: a fault applies to a counted number of requests, or to all of
// them until it is removed.
package fault

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

// Fault is one way to go wrong. The first part selects requests, the second
// says what happens to them; several effects may be combined.
type Fault struct {
	// ID is given by Set.Add.
	ID string `json:"id,omitempty"`

	// Method is an HTTP method; any when empty.
	Method string `json:"method,omitempty"`
	// Mutating selects requests that can change the cloud: POST, PUT, PATCH and DELETE.
	Mutating bool `json:"mutating,omitempty"`
	// Path is a pattern: a segment "*" matches one segment and a last segment
	// "**" matches the rest, also none. Any path when empty.
	Path string `json:"path,omitempty"`
	// Page selects one page of a list, by the query parameter page (1 when absent). Any when 0.
	Page int `json:"page,omitempty"`
	// Skip lets that many matching requests pass first.
	Skip int `json:"skip,omitempty"`
	// Times is how many requests are hit; until removed when 0.
	Times int `json:"times,omitempty"`

	// Latency is waited before anything else happens.
	Latency Duration `json:"latency,omitempty"`
	// Apply runs the request first, so that a status, a drop or a hang hits a
	// caller whose change has taken place.
	Apply bool `json:"apply,omitempty"`
	// Status answers with this code instead of the real answer.
	Status int `json:"status,omitempty"`
	// Body goes with Status; the vendor's usual error body when empty.
	Body string `json:"body,omitempty"`
	// Header is added to the answer, for instance Retry-After.
	Header map[string]string `json:"header,omitempty"`
	// Hang never answers.
	Hang bool `json:"hang,omitempty"`
	// Drop closes the connection without an answer.
	Drop bool `json:"drop,omitempty"`
	// Truncate sends only that many bytes of the body and then drops the
	// connection, while content-length promised all of them.
	Truncate *int `json:"truncate,omitempty"`
	// List cuts the list in an answer that has one.
	List *List `json:"list,omitempty"`
}

// List cuts the first-level lists of a JSON answer.
type List struct {
	// Keep is how many elements stay.
	Keep int `json:"keep"`
	// Consistent makes the answer claim that this is all: the totals say so and
	// there is no further page. Otherwise totals and links stay as they were.
	Consistent bool `json:"consistent"`
}

// Empty is the fault of a list that claims to be complete and has no element.
func Empty(path string) Fault {
	return Fault{Method: http.MethodGet, Path: path, List: &List{Consistent: true}}
}

// Matches says whether the fault is about the request, whatever its counts say.
func (f *Fault) Matches(r *http.Request) bool {
	if f.Method != "" && !strings.EqualFold(f.Method, r.Method) {
		return false
	}
	if f.Mutating && !traffic.Mutating(r.Method) {
		return false
	}
	if f.Page != 0 && f.Page != page(r) {
		return false
	}
	return f.Path == "" || matchPath(f.Path, r.URL.Path)
}

// Validate says what is wrong with a fault that can't have been meant.
func (f *Fault) Validate() error {
	switch {
	case f.Skip < 0 || f.Times < 0 || f.Page < 0:
		return fmt.Errorf("fault: skip, times and page must not be negative")
	case f.Status != 0 && (f.Status < 100 || f.Status > 999):
		return fmt.Errorf("fault: status %d is no HTTP status", f.Status)
	case f.Truncate != nil && *f.Truncate < 0:
		return fmt.Errorf("fault: truncate must not be negative")
	case f.List != nil && f.List.Keep < 0:
		return fmt.Errorf("fault: keep must not be negative")
	}
	return nil
}

func page(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		return 1
	}
	return n
}

func matchPath(pattern, path string) bool {
	want := strings.Split(strings.Trim(pattern, "/"), "/")
	have := strings.Split(strings.Trim(path, "/"), "/")
	for i, segment := range want {
		if segment == "**" && i == len(want)-1 {
			return true
		}
		if i >= len(have) || (segment != "*" && segment != have[i]) {
			return false
		}
	}
	return len(want) == len(have)
}

// Duration is a time.Duration that is text such as "30ms" in JSON.
type Duration time.Duration

// MarshalJSON writes the duration as text.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// UnmarshalJSON reads text such as "30ms"; a number is an error.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("fault: a duration is text such as \"30ms\": %w", err)
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("fault: %w", err)
	}
	*d = Duration(parsed)
	return nil
}
