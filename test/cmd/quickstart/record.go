package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sync"
	"time"
)

// The size of the terminal that is recorded.
const recordedColumns, recordedRows = 80, 40

// recorder writes what is shown in the form of asciinema (asciicast, version 2): hack/pictures makes the documentation's picture
// of it. Record it anew with: QUICKSTART_EXIT=1 make quickstart, then
// QUICKSTART_EXIT=1 bin/quickstart -binary bin/quickstart-sim -record test/cmd/quickstart/testdata/quickstart.cast
type recorder struct {
	file io.WriteCloser

	mu      sync.Mutex
	started time.Time
}

// newRecorder begins a recording.
func newRecorder(file io.WriteCloser) (*recorder, error) {
	r := &recorder{file: file, started: time.Now()}
	return r, r.line(map[string]int{"version": 2, "width": recordedColumns, "height": recordedRows})
}

// output records an output with its time, in hundredths of a second.
func (r *recorder) output(p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	seconds := math.Round(time.Since(r.started).Seconds()*100) / 100
	return r.line([]any{seconds, "o", string(p)})
}

func (r *recorder) line(content any) error {
	data, err := json.Marshal(content)
	if err == nil {
		_, err = r.file.Write(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("recording the output: %w", err)
	}
	return nil
}

func (r *recorder) close() error { return r.file.Close() }
