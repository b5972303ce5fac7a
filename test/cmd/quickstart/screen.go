package main

import (
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
	below  string // a note, below it
	drawn  int    // lines of the last picture
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
	s.text, s.below = text, ""
	s.mu.Unlock()
	s.draw()
}

func (s *screen) note(text string) {
	s.mu.Lock()
	s.below = clip(text, pictureWidth)
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
	picture := append([]string{heading, s.below}, s.picture()...)
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
