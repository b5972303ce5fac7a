package rate

import (
	"math"
	"time"
)

// window lets at most a number of requests through in any period of the given length, and
// does not spread them: it is exactly what clouds enforce per minute.
type window struct {
	length time.Duration
	factor float64     // part of the capacity in use
	sent   []time.Time // a ring of the last cap requests; zero where there were fewer
	next   int         // where the next one is written
}

func newWindow(capacity int, length time.Duration) *window {
	return &window{length: length, factor: 1, sent: make([]time.Time, max(capacity, 1))}
}

// ready is when a request may be sent that may use that share of the capacity.
func (w *window) ready(now time.Time, share float64) time.Time {
	capacity := max(int(math.Floor(float64(len(w.sent))*share*w.factor)), 1)
	// The request that many requests ago must have left the window.
	before := w.sent[(w.next-capacity+len(w.sent))%len(w.sent)]
	if before.IsZero() {
		return now
	}
	return later(now, before.Add(w.length))
}

func (w *window) take(now time.Time) {
	w.sent[w.next] = now
	w.next = (w.next + 1) % len(w.sent)
}

func (w *window) scale(_ time.Time, factor float64) { w.factor = factor }
