// Package layout puts text for people into the width of their terminal: it wraps between words, writes columns where they fit,
// and says a sentence that several rows share once.
package layout

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// DefaultWidth is the width of a page that no terminal shows.
const DefaultWidth = 80

// Page says how text for people is written.
type Page struct {
	// Width is where lines wrap, 0 for nowhere.
	Width int
	// Colour says that the reader shows colours.
	Colour bool
	// ProblemsOnly leaves out what nobody has to look after.
	ProblemsOnly bool
}

// Colour is a control sequence of terminals.
type Colour string

// The colours, which are those of plans.
const (
	Bold   Colour = "\x1b[1m"
	Red    Colour = "\x1b[31m"
	Green  Colour = "\x1b[32m"
	Yellow Colour = "\x1b[33m"

	reset = "\x1b[0m"
)

// Paint colours the text, or leaves it.
func (p Page) Paint(c Colour, text string) string {
	if !p.Colour || c == "" || text == "" {
		return text
	}
	return string(c) + text + reset
}

// Wrap returns the text in lines that fit into the page, as far as its words do. A list without spaces that is too long for
// a line wraps after its commas. The first line begins with first, the others with rest.
func (p Page) Wrap(first, rest, text string) string {
	if p.Width <= 0 {
		return first + text + "\n"
	}
	var out strings.Builder
	line, empty := first, true
	for _, w := range p.words(text, p.Width-Length(rest)) {
		space := strings.Repeat(" ", w.space)
		switch {
		case empty:
			line, empty = line+w.text, false
		case Length(line)+w.space+Length(w.text) > p.Width:
			out.WriteString(strings.TrimRight(line, " ") + "\n")
			line = rest + w.text
		default:
			line += space + w.text
		}
	}
	out.WriteString(strings.TrimRight(line, " ") + "\n")
	return out.String()
}

// Painted is Wrap with the text in a colour, line by line.
func (p Page) Painted(c Colour, first, rest, text string) string {
	var out strings.Builder
	for line := range strings.Lines(p.Wrap(first, rest, text)) {
		line = strings.TrimSuffix(line, "\n")
		text := strings.TrimLeft(line, " ")
		out.WriteString(line[:len(line)-len(text)] + p.Paint(c, text) + "\n")
	}
	return out.String()
}

// word is what is not broken, with the number of spaces before it.
type word struct {
	space int
	text  string
}

// words returns the words of a text. Those that are longer than most are broken after commas.
func (p Page) words(text string, most int) []word {
	var all []word
	space := 0
	for part := range strings.SplitSeq(text, " ") {
		switch {
		case part == "":
		case Length(part) <= most:
			all = append(all, word{space, part})
			space = 0
		default:
			for piece := range strings.SplitAfterSeq(part, ",") {
				all = append(all, word{space, piece})
				space = 0
			}
		}
		space++
	}
	return all
}

var sequence = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Length returns how many columns a text takes. Colours take none.
func Length(text string) int {
	if strings.Contains(text, "\x1b[") {
		text = sequence.ReplaceAllString(text, "")
	}
	return utf8.RuneCountInString(text)
}
