package main

import (
	"strings"
	"unicode/utf8"
)

// The columns of the picture: subject, fact and the two clusters.
const (
	subjectWidth = 8
	factWidth    = 14
	sideWidth    = 28
	pictureWidth = subjectWidth + factWidth + 2*sideWidth
)

// table returns the picture of both clusters. Paint marks what differs between them; it
// may be nil.
func table(rows []row, values [2][]string, paint func(string) string) []string {
	title := pad("", subjectWidth+factWidth) + pad(strings.ToUpper(sideNames[without]), sideWidth) + strings.ToUpper(sideNames[with])
	list := []string{title}
	last := ""
	for i, r := range rows {
		subject := ""
		if r.subject != last {
			subject, last = r.subject, r.subject
		}
		a, b := clip(values[without][i], sideWidth-1), clip(values[with][i], sideWidth-1)
		line := pad(subject, subjectWidth) + pad(r.fact, factWidth) + pad(a, sideWidth)
		if paint != nil && a != b {
			b = paint(b)
		}
		list = append(list, line+b)
	}
	return list
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// clip shortens text to a width.
func clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}

func green(text string) string { return "\x1b[32m" + text + "\x1b[0m" }
