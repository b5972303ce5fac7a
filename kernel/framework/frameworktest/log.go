package frameworktest

import (
	"context"
	"slices"
	"sync"
	"testing"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// Log writes down what it is told. It is safe for concurrent use.
type Log struct {
	mu    sync.Mutex
	lines []string
}

// Add adds a line.
func (l *Log) Add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// Take returns the lines and forgets them.
func (l *Log) Take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

// Logged keeps what is logged as an error until the test ends.
func Logged(t *testing.T) *Log {
	t.Helper()
	errs, before := &Log{}, utilruntime.ErrorHandlers
	utilruntime.ErrorHandlers = append(slices.Clone(before), func(_ context.Context, err error, _ string, _ ...any) { errs.Add(err.Error()) })
	t.Cleanup(func() { utilruntime.ErrorHandlers = before })
	return errs
}
