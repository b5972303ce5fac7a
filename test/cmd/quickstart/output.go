package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// output is standard output. When nobody reads it any more everything ends, as after
// Ctrl-C: writing to the descriptor 1 itself would kill this process before it has removed
// anything.
type output struct {
	file   *os.File
	broken func(error)
}

func openOutput(broken context.CancelCauseFunc) (*output, error) {
	fd, err := unix.Dup(int(os.Stdout.Fd()))
	if err != nil {
		return nil, fmt.Errorf("opening the output: %w", err)
	}
	unix.CloseOnExec(fd)
	return &output{file: os.NewFile(uintptr(fd), "stdout"), broken: broken}, nil
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if err != nil {
		o.broken(fmt.Errorf("writing the output: %w", err))
	}
	return n, err
}

// size returns the columns and rows of the terminal, or 0 when a picture should not be
// drawn: no terminal, a dumb one, or a user who wants plain text.
func (o *output) size() (columns, rows int) {
	if term := os.Getenv("TERM"); term == "" || term == "dumb" || os.Getenv("NO_COLOR") != "" {
		return 0, 0
	}
	size, err := unix.IoctlGetWinsize(int(o.file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

// stamped writes every line with the time since the start before it.
type stamped struct {
	out     io.Writer
	started time.Time

	mu   sync.Mutex
	rest []byte // of a line that is not complete yet
}

func (s *stamped) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, p...)
	for {
		line, rest, complete := bytes.Cut(s.rest, []byte("\n"))
		if !complete {
			return len(p), nil
		}
		s.rest = rest
		if _, err := fmt.Fprintf(s.out, "%7.1f s  %s\n", time.Since(s.started).Seconds(), line); err != nil {
			return 0, err
		}
	}
}
