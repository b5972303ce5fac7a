package gce

import (
	"errors"
	"strings"
)

// mask is a parsed fields parameter: the names that stay, each with what stays of its value; a nil
// mask keeps everything.
type mask map[string]mask

// parseMask reads "items(id,name),nextPageToken" or "items/*/name".
func parseMask(text string) (mask, error) {
	p := &maskParser{rest: text}
	m, err := p.list(0)
	if err == nil && p.rest != "" {
		err = errors.New("unexpected " + p.rest)
	}
	return m, err
}

type maskParser struct{ rest string }

const maxMaskDepth = 20

// list reads items with commas between them.
func (p *maskParser) list(depth int) (mask, error) {
	out := mask{}
	for {
		name, inner, err := p.item(depth)
		if err != nil {
			return nil, err
		}
		before, twice := out[name]
		if twice {
			inner = before.with(inner)
		}
		out[name] = inner
		if !p.take(",") {
			return out, nil
		}
	}
}

// with keeps what either mask names.
func (m mask) with(other mask) mask {
	if m == nil || other == nil {
		return nil
	}
	for name, inner := range other {
		if before, twice := m[name]; twice {
			inner = before.with(inner)
		}
		m[name] = inner
	}
	return m
}

// item reads a name, and what stays of its value behind "/" or in parentheses.
func (p *maskParser) item(depth int) (name string, inner mask, err error) {
	end := strings.IndexAny(p.rest, ",/()")
	if end < 0 {
		end = len(p.rest)
	}
	name, p.rest = p.rest[:end], p.rest[end:]
	switch {
	case name == "" || depth > maxMaskDepth:
		return "", nil, errors.New("a name is missing, or too deep")
	case p.take("/"):
		var next string
		next, inner, err = p.item(depth + 1)
		return name, mask{next: inner}, err
	case p.take("("):
		if inner, err = p.list(depth + 1); err == nil && !p.take(")") {
			err = errors.New("a parenthesis is not closed")
		}
	}
	return name, inner, err
}

func (p *maskParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

// apply keeps what the mask names.
func (m mask) apply(value any) any {
	if m == nil {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		out := fields{}
		for name, element := range v {
			inner, ok := m[name]
			if !ok {
				if inner, ok = m["*"]; !ok {
					continue
				}
			}
			out[name] = inner.apply(element)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = m.apply(element)
		}
		return out
	}
	return value
}
