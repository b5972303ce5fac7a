package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// event is a line of `go test -json`, see `go doc test2json`.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// report says what has ended and what failed.
type report struct {
	out     io.Writer
	of      int
	verbose bool

	mu       sync.Mutex
	ended    int
	running  map[string]time.Time
	said     map[string][]string // output by package and test
	skipped  map[string]int
	problems []string
}

func newReport(out io.Writer, of int, verbose bool) *report {
	return &report{out: out, of: of, verbose: verbose, running: map[string]time.Time{}, said: map[string][]string{}, skipped: map[string]int{}}
}

// read reports on all events. A line that is none is printed.
func (r *report) read(from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.line(line)
		}
		if err == io.EOF {
			r.end()
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading what the tests say: %w", err)
		}
	}
}

func (r *report) line(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		fmt.Fprintf(r.out, "%s", line)
		return
	}
	switch e.Action {
	case "start":
		r.running[e.Package] = time.Now()
	case "output":
		r.output(e)
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.packageEnds(e)
		} else {
			r.testEnds(e)
		}
	}
}

// output keeps what is said until it is known whether anybody has to see it.
func (r *report) output(e event) {
	if r.verbose {
		fmt.Fprint(r.out, e.Output)
		return
	}
	if e.Test == "" && (e.Output == "PASS\n" || strings.HasPrefix(e.Output, "ok  \t")) {
		return
	}
	at := e.Package + " " + e.Test
	r.said[at] = append(r.said[at], e.Output)
}

func (r *report) testEnds(e event) {
	at := e.Package + " " + e.Test
	switch e.Action {
	case "skip":
		r.skipped[e.Package]++
	case "fail":
		fmt.Fprint(r.out, strings.Join(r.said[at], ""))
		r.problems = append(r.problems, at+messages(r.said[at]))
	}
	delete(r.said, at)
}

// packageEnds prints the line of a package. Of one that fails it prints what its tests said that had not
// ended: that is where a panic or a time-out is.
func (r *report) packageEnds(e event) {
	r.ended++
	delete(r.running, e.Package)
	var left []string
	for at := range r.said {
		if strings.HasPrefix(at, e.Package+" ") {
			left = append(left, at)
		}
	}
	slices.Sort(left)
	for _, at := range left {
		if e.Action == "fail" {
			fmt.Fprint(r.out, strings.Join(r.said[at], ""))
		}
		delete(r.said, at)
	}
	word := map[string]string{"pass": "ok  ", "fail": "FAIL", "skip": "none"}[e.Action]
	note := ""
	if n := r.skipped[e.Package]; n > 0 {
		note = fmt.Sprintf(", %d skipped", n)
	}
	if e.Action == "skip" {
		note = ", no tests"
	}
	if e.Action == "fail" {
		r.problems = append(r.problems, e.Package)
	}
	fmt.Fprintf(r.out, "%3d/%d %s %6.1f s  %s%s\n", r.ended, max(r.of, r.ended), word, e.Elapsed, e.Package, note)
}

// message is the beginning of what a test says itself, see testing.T.Log. What other programs said, which tests print too, begins
// otherwise.
var message = regexp.MustCompile(`^ +[^ :]+\.go:[0-9]+: `)

// most is how many messages of a test are repeated.
const most = 20

// messages are the last lines of what a test said itself: why it failed is mostly there.
func messages(said []string) string {
	var all []string
	for _, line := range said {
		if message.MatchString(line) {
			all = append(all, "\n"+strings.TrimRight(line, "\n"))
		}
	}
	return strings.Join(all[max(0, len(all)-most):], "")
}

// end repeats what failed and why, which may be far above.
func (r *report) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, what := range r.problems {
		fmt.Fprintln(r.out, "FAIL", what)
	}
}

// every says now and then what still runs, until the returned function is called.
func (r *report) every(d time.Duration) (stop func()) {
	ticker, quit := time.NewTicker(d), make(chan struct{})
	go func() {
		for {
			select {
			case <-quit:
				return
			case now := <-ticker.C:
				r.still(now)
			}
		}
	}()
	return func() { ticker.Stop(); close(quit) }
}

func (r *report) still(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for name, since := range r.running {
		all = append(all, fmt.Sprintf("%s for %.0f s", name, now.Sub(since).Seconds()))
	}
	slices.Sort(all)
	if len(all) > 0 {
		fmt.Fprintf(r.out, "        running: %s\n", strings.Join(all, ", "))
	}
}
