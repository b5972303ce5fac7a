package cloudconf

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// parser gives the entries of a file to what is declared.
type parser struct {
	file     File
	warnings []string
	problems []error
}

// Parse reads a file into the variables of its keys. The error holds everything that is wrong
// with it; the warnings say what has no effect.
func (f File) Parse(content []byte) ([]string, error) {
	entries, err := scan(content)
	if err != nil {
		return nil, fmt.Errorf("reading cloud.conf: %w", err)
	}
	for _, s := range f.Sections {
		for _, k := range s.Keys {
			if k.Unset != "" {
				k.Value.Set(k.Unset)
			}
		}
	}
	p := &parser{file: f}
	for _, e := range entries {
		p.take(e)
	}
	return p.warnings, errors.Join(p.problems...)
}

func (p *parser) take(e entry) {
	for _, s := range p.file.Sections {
		switch {
		case !strings.EqualFold(s.Name, e.section):
		case s.Named != nil && (e.subsection != "" || s.Nameless == ""):
			p.apply(e, fmt.Sprintf("[%s %q]", s.Name, e.subsection), s.Named(e.subsection))
			return
		case s.Named == nil && e.subsection == "":
			p.apply(e, "["+s.Name+"]", s.Keys)
			return
		}
	}
	if e.key == "" { // else its section was reported with the head
		p.unknown(e)
	}
}

// unknown reports the head of a section nobody reads.
func (p *parser) unknown(e entry) {
	why := p.file.Legacy[strings.ToLower("["+e.section+"]")]
	head := "[" + e.section + "]"
	if e.subsection != "" {
		head, why = fmt.Sprintf("[%s %q]", e.section, e.subsection), ""
	} else {
		for _, s := range p.file.Sections {
			if strings.EqualFold(s.Name, e.section) {
				why = s.Nameless
			}
		}
	}
	p.warn(e, head, cmp.Or(why, "there is no such section"))
}

func (p *parser) apply(e entry, section string, keys []Key) {
	if e.key == "" {
		return
	}
	field := section + " " + e.key
	for _, k := range keys {
		if strings.EqualFold(k.Name, e.key) {
			p.set(e, section+" "+k.Name, k)
			return
		}
	}
	p.warn(e, field, cmp.Or(p.file.Legacy[strings.ToLower(field)], "there is no such key in this section"))
}

func (p *parser) set(e entry, field string, k Key) {
	want := "want a value after ="
	switch {
	case !e.bare:
		want = k.Value.Set(e.value)
	case k.Value.Alone != nil:
		k.Value.Alone()
		return
	}
	shown := e.value
	if k.Value.Secret {
		shown = "…"
	}
	switch {
	case want == "":
	case k.Lenient:
		p.warnings = append(p.warnings, fmt.Sprintf("cloud.conf line %d: %s = %q: %s", e.line, field, shown, want))
	default:
		p.problems = append(p.problems, &cloud.Invalid{Field: field, Value: shown, Want: fmt.Sprintf("%s (line %d)", want, e.line)})
	}
}

func (p *parser) warn(e entry, what, why string) {
	p.warnings = append(p.warnings, fmt.Sprintf("cloud.conf line %d: %s has no effect: %s", e.line, what, why))
}
