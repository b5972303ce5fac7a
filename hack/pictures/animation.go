package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// stay is a row while it stays the same. The end of the last one is that of the whole.
type stay struct {
	row
	line       int
	begin, end time.Duration
}

// animate draws frames one after the other, again and again. The last frame is only the end. Each row is drawn as often as it changes. Who
// asks for less motion, and what knows no animation, shows what is there at the end.
func animate(t theme, columns int, frames []frameAt, title string) []byte {
	last := len(frames) - 1
	length := frames[last].at
	stays := staysOf(frames[:last], length)
	var b strings.Builder
	frame(&b, t, columns, len(frames[last-1].rows), title)
	b.WriteString("<style>\n.h{visibility:hidden}\n@media (prefers-reduced-motion:reduce){g{animation:none!important}}\n")
	var times []string
	for _, s := range stays {
		if name := s.name(length); name != "" && !slices.Contains(times, name) {
			times = append(times, name)
			fmt.Fprintf(&b, ".%s{animation:%s %.2fs step-end infinite}@keyframes %s{0%%{visibility:%s}%s}\n", name, name, length.Seconds(), name, visible(s.begin == 0), s.keys(length))
		}
	}
	b.WriteString("</style>\n")
	for _, s := range stays {
		hidden := ""
		if s.end < length {
			hidden = " h"
		}
		if class := strings.TrimSpace(s.name(length) + hidden); class != "" {
			fmt.Fprintf(&b, `<g class="%s">`, class)
		} else {
			b.WriteString("<g>")
		}
		s.svg(&b, t, s.line)
		b.WriteString("</g>\n")
	}
	b.WriteString(frameEnd)
	return []byte(b.String())
}

// staysOf turns frames into rows that stay for a while, by their lines.
func staysOf(frames []frameAt, length time.Duration) []stay {
	var all []stay
	for line := range frames[len(frames)-1].rows {
		var current *stay
		for _, f := range frames {
			var r row
			if line < len(f.rows) {
				r = f.rows[line]
			}
			if current != nil && slices.Equal(current.row, r) {
				continue
			}
			if current != nil {
				current.end = f.at
				all = append(all, *current)
			}
			current = &stay{row: r, line: line, begin: f.at}
		}
		current.end = length
		all = append(all, *current)
	}
	all = slices.DeleteFunc(all, func(s stay) bool { return len(s.row) == 0 })
	slices.SortStableFunc(all, func(a, b stay) int { return cmp.Compare(a.line, b.line) })
	return all
}

// name is that of the animation that shows it, "" where it is always there.
func (s stay) name(length time.Duration) string {
	if s.begin == 0 && s.end == length {
		return ""
	}
	return fmt.Sprintf("t%d-%d", s.begin.Milliseconds(), s.end.Milliseconds())
}

// keys are the times at which it comes and goes.
func (s stay) keys(length time.Duration) string {
	var b strings.Builder
	at := func(d time.Duration, there bool) {
		fmt.Fprintf(&b, "%.2f%%{visibility:%s}", 100*d.Seconds()/length.Seconds(), visible(there))
	}
	if s.begin > 0 {
		at(s.begin, true)
	}
	if s.end < length {
		at(s.end, false)
	}
	return b.String()
}

func visible(there bool) string {
	if there {
		return "visible"
	}
	return "hidden"
}
