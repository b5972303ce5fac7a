package main

import "strings"

// still draws what a terminal shows at one time, for as many lines as there are.
func still(t theme, columns int, rows []row, title string) []byte {
	var b strings.Builder
	frame(&b, t, columns, len(rows), title)
	for y, r := range rows {
		if len(r) > 0 {
			r.svg(&b, t, y)
			b.WriteByte('\n')
		}
	}
	b.WriteString(frameEnd)
	return []byte(b.String())
}
