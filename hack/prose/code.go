package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// widest is how long a line of code may be. The site cuts longer ones at the width of a desktop.
const widest = 76

// language is that of a block of code.
var language = regexp.MustCompile("^ *(?:```|~~~)([a-z]*)")

// asItIs are the languages whose lines are not broken: the guide to a new cloud shows files of examples as they are. The site
// breaks them by its style. Diagrams are drawn.
var asItIs = map[string]bool{"go": true, "diff": true, "mermaid": true}

// checkCode returns the lines of code that the site would cut. A single word, such as a URL, can't be broken; the site does it.
func checkCode(document string) []problem {
	var problems []problem
	inCode, number, of := false, 0, ""
	for line := range strings.Lines(document) {
		number++
		line = strings.TrimRight(line, "\n")
		if match := language.FindStringSubmatch(line); match != nil {
			inCode, of = !inCode, match[1]
			continue
		}
		words := strings.Fields(strings.TrimSuffix(line, "\\"))
		if width := utf8.RuneCountInString(line); inCode && width > widest && !asItIs[of] && len(words) > 1 {
			problems = append(problems, problem{number, fmt.Sprintf("%d characters of code: the site cuts what is behind %d; break the line", width, widest)})
		}
	}
	return problems
}
