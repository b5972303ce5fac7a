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
	// record is nil unless everything is recorded too.
	record *recorder
}

// openOutput opens the output, which is recorded in a file where one is named.
func openOutput(record string, broken context.CancelCauseFunc) (*output, error) {
	fd, err := unix.Dup(int(os.Stdout.Fd()))
	if err != nil {
		return nil, fmt.Errorf("opening the output: %w", err)
	}
	unix.CloseOnExec(fd)
	o := &output{file: os.NewFile(uintptr(fd), "stdout"), broken: broken}
	if record == "" {
		return o, nil
	}
	file, err := os.Create(record)
	if err == nil {
		o.record, err = newRecorder(file)
	}
	if err != nil {
		return nil, fmt.Errorf("beginning the recording: %w", err)
	}
	return o, nil
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if err == nil && o.record != nil {
		err = o.record.output(p)
	}
	if err != nil {
		o.broken(fmt.Errorf("writing the output: %w", err))
	}
	return n, err
}

// size returns the columns and rows of the terminal, or 0 when a picture should not be
// drawn: no terminal, a dumb one, or a user who wants plain text.
func (o *output) size() (columns, rows int) {
	if o.record != nil {
		return recordedColumns, recordedRows
	}
	if term := os.Getenv("TERM"); term == "" || term == "dumb" || os.Getenv("NO_COLOR") != "" {
		return 0, 0
	}
	size, err := unix.IoctlGetWinsize(int(o.file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

// close ends the recording, if there is one.
func (o *output) close() {
	if o.record != nil {
		_ = o.record.close() // what it lacks is seen in the picture
	}
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
