package doctor

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Clock learns from answers how far this machine's clock is from others.
type Clock struct {
	mu   sync.Mutex
	ways map[string]time.Duration
}

// NewClock returns a Clock that has seen no answer.
func NewClock() *Clock { return &Clock{ways: map[string]time.Duration{}} }

// See takes note of an answer of whom.
func (c *Clock) See(whom string, answer *http.Response) {
	if answer == nil {
		return
	}
	date, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, seen := c.ways[whom]; !seen {
		c.ways[whom] = time.Until(date).Round(time.Second)
	}
}

// Watch returns a transport whose answers the Clock sees.
func (c *Clock) Watch(whom string, next http.RoundTripper) http.RoundTripper {
	return watched{c, whom, next}
}

type watched struct {
	clock *Clock
	whom  string
	next  http.RoundTripper
}

func (w watched) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := w.next.RoundTrip(request)
	if err == nil {
		w.clock.See(w.whom, answer)
	}
	return answer, err
}

// Names of those whose clock is looked at.
const (
	ClockOfServer = "the API server"
	ClockOfCloud  = "the cloud"
)

// Beyond mostAhead tokens and certificates that were just issued are refused; beyond lostTime
// signed requests are, AWS' for one.
const (
	mostAhead = 30 * time.Second
	lostTime  = 2 * time.Minute
)

func (c *Clock) seen() map[string]time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	copied := map[string]time.Duration{}
	for whom, way := range c.ways {
		copied[whom] = way
	}
	return copied
}

func judgeClock(f *facts) Outcome {
	if f.sky.kind == skewed {
		return failure(f.sky.err.Error(), "")
	}
	if f.Clock == nil {
		return cannot(fmt.Errorf("nobody looked at the times of answers"))
	}
	ways := f.Clock.seen()
	level := OK
	var evidence, exact []string
	for _, whom := range []string{ClockOfServer, ClockOfCloud} {
		way, known := ways[whom]
		switch {
		case !known:
			continue
		case way.Abs() < mostAhead:
			exact = append(exact, whom)
			continue
		case way.Abs() >= lostTime:
			level = Failure
		case level == OK:
			level = Warning
		}
		side := "behind"
		if way < 0 {
			side = "ahead of"
		}
		evidence = append(evidence, fmt.Sprintf("the clock of this machine is %s %s %s", way.Abs(), side, whom))
	}
	switch {
	case level != OK:
		return Outcome{Level: level, Message: names(evidence), Evidence: append(evidence, "this machine says "+f.now.UTC().Format(time.RFC3339))}
	case len(exact) == 0:
		return cannot(fmt.Errorf("no answer said what time it is"))
	}
	return fine("it agrees with %s", names(exact))
}
