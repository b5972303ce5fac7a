// Package fold breaks lines of recorded output that are wider than the documentation's site shows.
package fold

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// Width is how long a line of code may be. The site itself breaks a word that is longer.
const Width = 76

var fence = regexp.MustCompile("^ *```")

// Document breaks the lines in the blocks of code of a document.
func Document(text string) string {
	var b strings.Builder
	inCode := false
	for line := range strings.Lines(text) {
		if fence.MatchString(line) {
			inCode = !inCode
		}
		if content := strings.TrimSuffix(line, "\n"); inCode && utf8.RuneCountInString(content) > Width {
			line = broken(content)
		}
		b.WriteString(line)
	}
	return b.String()
}

// broken returns a line in several: a command as a shell reads it.
func broken(line string) string {
	text := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(text)]
	more := ""
	if strings.HasPrefix(line, "$ ") {
		more = ` \`
	}
	lines := layout.Page{Width: Width - len(more)}.Wrap(indent, indent+"    ", text)
	return strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", more+"\n") + "\n"
}
