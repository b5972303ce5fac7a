package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// quickstartCast is what `bin/quickstart -record` wrote, in asciinema's form.
const quickstartCast = "test/cmd/quickstart/testdata/quickstart.cast"

// What the quickstart shows: the picture of both clusters is between its heads and the list of expectations. A heading and a
// note are above it.
const (
	picturesHeads = "WITHOUT A CCM"
	reportBegins  = "EXPECTED OF A CCM"
	aboveHeads    = 2
)

// frameAt is what a terminal shows from a time on.
type frameAt struct {
	at   time.Duration
	rows []row
}

// drawQuickstart draws the quickstart while it runs.
func drawQuickstart(root string, into map[string][]byte) error {
	data, err := os.ReadFile(filepath.Join(root, quickstartCast))
	if err != nil {
		return fmt.Errorf("reading the recording of the quickstart: %w", err)
	}
	frames, columns, err := framesOf(data)
	if err != nil {
		return fmt.Errorf("reading %s: %w", quickstartCast, err)
	}
	frames = shortenWaits(frames)
	for _, t := range themes {
		into[t.file("quickstart")] = animate(t, columns, frames, "make quickstart: two clusters, without a CCM and with multicloud-ccm")
	}
	return nil
}

// framesOf plays a recording, and returns the picture of both clusters whenever it changed.
func framesOf(cast []byte) (frames []frameAt, columns int, err error) {
	header, events, _ := bytes.Cut(cast, []byte("\n"))
	var size struct{ Version, Width, Height int }
	if err := json.Unmarshal(header, &size); err != nil || size.Version != 2 {
		return nil, 0, fmt.Errorf("it has no head of version 2: %q, %w", header, err)
	}
	t := newTerminal(size.Width, size.Height)
	for line := range bytes.Lines(events) {
		var event struct {
			seconds    float64
			kind, text string
		}
		if err := json.Unmarshal(line, &[]any{&event.seconds, &event.kind, &event.text}); err != nil {
			return nil, 0, fmt.Errorf("a line is no event: %q: %w", line, err)
		}
		if strings.Contains(event.text, reportBegins) {
			break
		}
		if err := t.write(event.text); err != nil {
			return nil, 0, err
		}
		rows := pictureIn(t.screen())
		if rows == nil || len(frames) > 0 && same(frames[len(frames)-1].rows, rows) {
			continue
		}
		frames = append(frames, frameAt{time.Duration(event.seconds * float64(time.Second)), rows})
	}
	if len(frames) < 2 {
		return nil, 0, errors.New("the picture of both clusters is not in it")
	}
	return frames, size.Width, nil
}

// pictureIn returns the rows of the picture of both clusters, nil where it is not shown.
func pictureIn(screen []row) []row {
	heads := slices.IndexFunc(screen, func(r row) bool { return strings.Contains(r.text(), picturesHeads) })
	if heads < aboveHeads {
		return nil
	}
	end := len(screen)
	for end > heads && len(screen[end-1]) == 0 {
		end--
	}
	return screen[heads-aboveHeads : end]
}

func (r row) text() string {
	var all []string
	for _, s := range r {
		all = append(all, s.text)
	}
	return strings.Join(all, " ")
}

func same(a, b []row) bool {
	return slices.EqualFunc(a, b, slices.Equal)
}

const (
	longestWait  = 2500 * time.Millisecond
	shortestWait = 500 * time.Millisecond
	// lastWait is how long the end stays until it begins again.
	lastWait = 6 * time.Second
)

// shortenWaits leaves out what differs by the clock in the heading alone, and shortens the time between the others. The last
// frame is the end of the whole.
func shortenWaits(frames []frameAt) []frameAt {
	var kept []frameAt
	for i, f := range frames {
		if i == 0 || i == len(frames)-1 || !same(kept[len(kept)-1].rows[1:], f.rows[1:]) {
			kept = append(kept, f)
		}
	}
	var now time.Duration
	for i := range kept {
		wait := lastWait
		if i < len(kept)-1 {
			wait = min(max(kept[i+1].at-kept[i].at, shortestWait), longestWait)
		}
		kept[i].at = now
		now += wait
	}
	return append(kept, frameAt{at: now})
}
