package cloudconf

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/gcfg.v1/scanner"
	"gopkg.in/gcfg.v1/token"
)

// entry is one key of a configuration file, where it stands.
type entry struct {
	section    string
	subsection string
	key        string // "" for the head of a section
	value      string
	// bare says that the key stands alone, without "=".
	bare bool
	line int
}

// scan reads a file in the format of gcfg, upstream's library, with that library's scanner:
// its reader fills structs and forgets what they have no field for.
//
//	[section] or [section "subsection"]
//	key = value    # comment
//	key = "value with ; and \" in it"
//	key
func scan(content []byte) ([]entry, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	files := token.NewFileSet()
	r := &iniReader{file: files.AddFile("", files.Base(), len(content))}
	r.scanner.Init(r.file, content, func(p token.Position, _ string) { r.fail(p.Line) }, 0)
	r.next()
	for r.token != token.EOF && r.err == nil {
		switch r.token {
		case token.EOL:
			r.next()
		case token.LBRACK:
			r.head()
		default:
			r.assignment()
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.entries, nil
}

type iniReader struct {
	scanner scanner.Scanner
	file    *token.File
	entries []entry
	err     error

	pos     token.Pos
	token   token.Token
	literal string
}

func (r *iniReader) next() { r.pos, r.token, r.literal = r.scanner.Scan() }

func (r *iniReader) line() int { return r.file.Line(r.pos) }

// fail keeps the first problem. Neither it nor the scanner's own message may show the line,
// which can hold a password.
func (r *iniReader) fail(line int) {
	if r.err == nil {
		r.err = fmt.Errorf(`line %d: want [section], key = value or a comment; a value with a quote or backslash has to be quoted, and both get a backslash before them`, line)
	}
}

// expect takes a token of that kind and returns its text.
func (r *iniReader) expect(kind token.Token) string {
	if r.token != kind {
		r.fail(r.line())
	}
	literal := r.literal
	r.next()
	return literal
}

// end is where a line has to end.
func (r *iniReader) end() {
	if r.token != token.EOF {
		r.expect(token.EOL)
	}
}

func (r *iniReader) head() {
	e := entry{line: r.line()}
	r.next()
	e.section = r.expect(token.IDENT)
	if r.token == token.STRING {
		e.subsection = Unquote(r.expect(token.STRING))
	}
	r.expect(token.RBRACK)
	r.end()
	r.entries = append(r.entries, e)
}

func (r *iniReader) assignment() {
	e := entry{line: r.line(), bare: true}
	if len(r.entries) == 0 {
		r.fail(e.line)
		return
	}
	section := r.entries[len(r.entries)-1]
	e.section, e.subsection = section.section, section.subsection
	e.key = r.expect(token.IDENT)
	if r.token == token.ASSIGN {
		r.next()
		e.bare = false
		e.value = Unquote(r.expect(token.STRING))
	}
	r.end()
	r.entries = append(r.entries, e)
}

// Unquote returns the text of a literal the scanner has accepted: parts of it may be quoted,
// and a backslash at the end of a line continues it.
func Unquote(literal string) string {
	var b strings.Builder
	escaped := false
	for _, c := range literal {
		switch {
		case escaped:
			escaped = false
			switch c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case '\n':
				continue
			}
			b.WriteRune(c)
		case c == '\\':
			escaped = true
		case c != '"':
			b.WriteRune(c)
		}
	}
	return b.String()
}
