// Package filter reads the filter expressions of the Compute API's lists, as the discovery
// document describes them: regular expressions with eq and ne, or AIP-160 with =, !=, <, >, <=, >=
// and ":"; one of the two in a request.
package filter

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Filter says whether an object, as decoded JSON, is in a list.
type Filter func(object map[string]any) bool

// Parse reads an expression. The empty one matches everything.
func Parse(text string) (Filter, error) {
	p := &parser{rest: strings.TrimSpace(text)}
	if p.rest == "" {
		return func(map[string]any) bool { return true }, nil
	}
	f, err := p.sequence(0)
	switch {
	case err != nil:
		return nil, fmt.Errorf("filter %q: %w", text, err)
	case p.rest != "":
		return nil, fmt.Errorf("filter %q: unexpected %q", text, p.rest)
	case p.regular && p.plain:
		return nil, fmt.Errorf("filter %q: eq and ne cannot be mixed with other operators", text)
	}
	return f, nil
}

type parser struct {
	rest           string
	regular, plain bool // which operators there were
}

// maxDepth bounds parentheses in each other.
const maxDepth = 50

// sequence reads factors that all must hold; AND between them may be left out.
func (p *parser) sequence(depth int) (Filter, error) {
	if depth > maxDepth {
		return nil, errors.New("too many parentheses")
	}
	var all []Filter
	for {
		f, err := p.factor(depth)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
		p.word("AND")
		if p.rest == "" || p.rest[0] == ')' {
			return func(object map[string]any) bool {
				for _, f := range all {
					if !f(object) {
						return false
					}
				}
				return true
			}, nil
		}
	}
}

// factor reads terms with OR between them, which binds closer than AND (AIP-160).
func (p *parser) factor(depth int) (Filter, error) {
	first, err := p.term(depth)
	if err != nil {
		return nil, err
	}
	for p.word("OR") {
		second, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		before := first
		first = func(object map[string]any) bool { return before(object) || second(object) }
	}
	return first, nil
}

func (p *parser) term(depth int) (Filter, error) {
	if p.word("NOT") {
		f, err := p.term(depth + 1)
		if err != nil || depth > maxDepth {
			return nil, errors.Join(err, errors.New("NOT without an expression"))
		}
		return func(object map[string]any) bool { return !f(object) }, nil
	}
	if !strings.HasPrefix(p.rest, "(") {
		return p.comparison()
	}
	p.skip(1)
	f, err := p.sequence(depth + 1)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(p.rest, ")") {
		return nil, errors.New("a parenthesis is not closed")
	}
	p.skip(1)
	return f, nil
}

var (
	field    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*`)
	operator = regexp.MustCompile(`^(eq\s|ne\s|!=|<=|>=|=|<|>|:)`)
)

func (p *parser) comparison() (Filter, error) {
	name := field.FindString(p.rest)
	if name == "" {
		return nil, fmt.Errorf("a field is missing at %q", p.rest)
	}
	p.skip(len(name))
	op := strings.TrimSpace(operator.FindString(p.rest))
	if op == "" {
		return nil, fmt.Errorf("an operator is missing at %q", p.rest)
	}
	p.skip(len(op))
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	test, err := p.test(op, value)
	if err != nil {
		return nil, err
	}
	negated := op == "ne" || op == "!="
	return func(object map[string]any) bool { return anyOf(at(object, name), test) != negated }, nil
}

// value reads a literal, quoted or up to a blank or the parenthesis that closes.
func (p *parser) value() (string, error) {
	if p.rest != "" && (p.rest[0] == '"' || p.rest[0] == '\'') {
		end := strings.IndexByte(p.rest[1:], p.rest[0])
		if end < 0 {
			return "", errors.New("a quotation mark is not closed")
		}
		value := p.rest[1 : end+1]
		p.skip(end + 2)
		return value, nil
	}
	open, end := 0, len(p.rest)
	for i, r := range p.rest {
		if r == ' ' || (r == ')' && open == 0) {
			end = i
			break
		}
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
	}
	if end == 0 {
		return "", errors.New("a value is missing")
	}
	value := p.rest[:end]
	p.skip(end)
	return value, nil
}

// test says whether one value of a field is what the literal wants; ne and != turn it round.
func (p *parser) test(op, literal string) (func(any) bool, error) {
	if op == "eq" || op == "ne" {
		p.regular = true
		pattern, err := regexp.Compile("^(?:" + literal + ")$")
		if err != nil {
			return nil, fmt.Errorf("the regular expression %q: %w", literal, err)
		}
		return func(v any) bool { return v != nil && pattern.MatchString(fmt.Sprint(v)) }, nil
	}
	p.plain = true
	switch op {
	case ":":
		return func(v any) bool { return v != nil && (literal == "*" || strings.Contains(fmt.Sprint(v), literal)) }, nil
	case "=", "!=":
		return func(v any) bool { return v != nil && wildcard(literal, fmt.Sprint(v)) }, nil
	}
	return func(v any) bool {
		if v == nil {
			return false
		}
		order := compare(fmt.Sprint(v), literal)
		return map[string]bool{"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op]
	}, nil
}

// wildcard compares with a literal that may begin or end with "*".
func wildcard(literal, value string) bool {
	rest, before := strings.CutPrefix(literal, "*")
	rest, behind := strings.CutSuffix(rest, "*")
	switch {
	case before && behind:
		return strings.Contains(value, rest)
	case before:
		return strings.HasSuffix(value, rest)
	case behind:
		return strings.HasPrefix(value, rest)
	}
	return value == literal
}

func compare(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return strings.Compare(a, b)
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// word takes a keyword that stands alone.
func (p *parser) word(word string) bool {
	if rest, ok := strings.CutPrefix(p.rest, word); ok && (rest == "" || rest[0] == ' ' || rest[0] == '(') {
		p.skip(len(word))
		return true
	}
	return false
}

func (p *parser) skip(n int) { p.rest = strings.TrimLeft(p.rest[n:], " \t\n") }

// at returns the values of a field; dots lead into objects and the objects of lists.
func at(object map[string]any, path string) []any {
	if value, ok := object[path]; ok { // a label's key may have dots
		return flat(value)
	}
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return nil
	}
	var out []any
	for _, value := range flat(object[name]) {
		if inner, ok := value.(map[string]any); ok {
			out = append(out, at(inner, rest)...)
		}
	}
	return out
}

func flat(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

func anyOf(values []any, test func(any) bool) bool {
	for _, value := range values {
		if test(value) {
			return true
		}
	}
	return false
}
