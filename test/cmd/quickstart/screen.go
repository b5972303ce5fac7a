package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// screen draws one picture over the last one.
type screen struct {
	out     io.Writer
	picture func() []string
	started time.Time

	mu     sync.Mutex
	text   string
	note   string // below it, or the reason, where there is one
	reason string
	drawn  int // lines of the last picture
	closed bool
	quit   chan struct{}
}

// period is how often the clock moves.
const period = 500 * time.Millisecond

// newScreen starts drawing. The terminal must have a line for each of the picture, and
// two more.
func newScreen(out io.Writer, picture func() []string) *screen {
	s := &screen{out: out, picture: picture, started: time.Now(), quit: make(chan struct{})}
	go s.run()
	return s
}

func (s *screen) run() {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.draw()
		case <-s.quit:
			return
		}
	}
}

func (s *screen) step(text string) {
	s.mu.Lock()
	s.text, s.note, s.reason = text, "", ""
	s.mu.Unlock()
	s.draw()
}

func (s *screen) why(text string) {
	s.mu.Lock()
	s.reason = clip(text, pictureWidth)
	s.mu.Unlock()
	s.draw()
}

func (s *screen) waiting(missing []string) {
	s.mu.Lock()
	s.note = clip(waitingFor(missing), pictureWidth)
	s.mu.Unlock()
	s.draw()
}

func (s *screen) change(change) { s.draw() }

func (s *screen) draw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	var b strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.drawn)
	}
	heading := fmt.Sprintf("\x1b[1m%4.0f s  %s\x1b[0m", time.Since(s.started).Seconds(), clip(s.text, pictureWidth-8))
	picture := append([]string{heading, cmp.Or(s.reason, s.note)}, s.picture()...)
	for _, line := range picture {
		b.WriteString("\r" + line + "\x1b[K\n")
	}
	s.drawn = len(picture)
	_, _ = io.WriteString(s.out, b.String()) // the output itself notices
}

func (s *screen) close() {
	s.draw()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.quit)
	}
}
