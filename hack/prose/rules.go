package main

import (
	"fmt"
	"regexp"
	"strings"
)

// longest is the number of words that a sentence may have. Most have fewer than 20.
const longest = 45

// rule is a form that is not used, and what to write instead.
type rule struct {
	form    *regexp.Regexp
	instead string
}

var rules = []rule{
	{regexp.MustCompile(`(?:^|[.:;] )(?:Opened|Checked|Left|Kept|Told|Found|Made|Deleted|Refused|Written|Wanted|Needed|Looked for) (?:is|are|was|were)\b`), "begin with the subject: \"the CCM opens …\""},
	{regexp.MustCompile(`(?:^|\. )What (?:\S+ ){1,8}(?:it tells|tells|is told)\b`), "begin with the subject"},
	{regexp.MustCompile(`(?i)\bis one (?:most|that most)\b`), "say who can do it"},
	{regexp.MustCompile(`(?i)\bas wanted gets\b`), "name what is done, and who does it"},
	{regexp.MustCompile(`(?i)\btoo many and too few\b`), "say what is too many, and what is missing"},
	{regexp.MustCompile(`(?:^|\. )(?:Another|Others?|Those|That|Such) (?:\S+ ){0,2}(?:does|do)\.`), "repeat the verb: \"A change to another project needs one.\""},
	{regexp.MustCompile(`(?i)\b(?:simply|obviously|of course|easily|trivially)\b`), "leave it out"},
	{regexp.MustCompile(`(?i)\b(?:utili[sz]e|leverage|in order to|prior to)\b`), "use, so that or before"},
	{regexp.MustCompile(`(?i)\[(?:here|this|click here|link)\]\(`), "say where the link leads"},
	{regexp.MustCompile(`(?i)\b(the|a|an|of|to|is|are|and|in|that) (?:the the|a a|an an|of of|to to|is is|are are|and and|in in)\b`), "a word is there twice"},
	{regexp.MustCompile(`\b(?:Github|Openstack|Digital Ocean|Digitalocean|kubernetes [a-z]+ is|Mac OS)\b`), "write names as their owners do"},
	{regexp.MustCompile(`(?i)\b(?:fip|lb|svc|sg)s?\b[^/=:._-]`), "write the term out: floating IP, load balancer, Service, security group"},
	{regexp.MustCompile(`(?i)\b(?:master node|slave|whitelist|blacklist)\b`), "control-plane node, replica, allow list, deny list"},
}

// problem is a place that breaks a rule.
type problem struct {
	line int
	text string
}

var (
	fence  = regexp.MustCompile("^ *(```|~~~)")
	code   = regexp.MustCompile("`[^`]*`")
	target = regexp.MustCompile(`\]\([^)]*\)`)
	// end is where a sentence ends. An abbreviation or a version is none.
	end  = regexp.MustCompile(`[.!?](?:["')]*)(?:\s|$)`)
	item = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.)\s`)
)

// paragraph is prose that belongs together, and the line where it begins.
type paragraph struct {
	line int
	text string
}

// check returns what breaks a rule in a document.
func check(document string) []problem {
	var problems []problem
	for _, p := range paragraphs(document) {
		linked := code.ReplaceAllString(p.text, "x")
		plain := target.ReplaceAllString(linked, "]")
		for _, r := range rules {
			for _, text := range []string{linked, plain} {
				if match := r.form.FindString(text); match != "" {
					problems = append(problems, problem{p.line, fmt.Sprintf("%q: %s", strings.TrimSpace(match), r.instead)})
					break
				}
			}
		}
		for _, sentence := range end.Split(plain, -1) {
			if words := strings.Fields(sentence); len(words) > longest {
				problems = append(problems, problem{p.line, fmt.Sprintf("a sentence of %d words, %q: one thought per sentence, at most %d words", len(words), strings.Join(words[:6], " ")+" …", longest)})
			}
		}
	}
	return problems
}

// paragraphs returns the prose of a document: no code, no front matter. Each item of a list and
// each cell of a table stands alone.
func paragraphs(document string) []paragraph {
	var all []paragraph
	var current []string
	start, inCode := 0, false
	flush := func() {
		if len(current) > 0 {
			all = append(all, paragraph{start, strings.Join(current, " ")})
		}
		current = nil
	}
	number := 0
	for line := range strings.Lines(document) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case fence.MatchString(line):
			flush()
			inCode = !inCode
		case inCode:
		case trimmed == "" || strings.HasPrefix(trimmed, "<!--"):
			flush()
		case strings.HasPrefix(trimmed, "#"):
			flush()
		case strings.HasPrefix(trimmed, "|"):
			flush()
			for cell := range strings.SplitSeq(strings.Trim(trimmed, "|"), "|") {
				all = append(all, paragraph{number, strings.TrimSpace(cell)})
			}
		default:
			if item.MatchString(line) {
				flush()
			}
			if len(current) == 0 {
				start = number
			}
			current = append(current, trimmed)
		}
	}
	flush()
	return all
}
