package layout

import (
	"slices"
	"strings"
	"text/tabwriter"
)

// Row is what is said of one thing.
type Row struct {
	// Lead stands before the name. Where it is "", that is "!" for a problem.
	Lead, Name string
	// Values stand in columns of their own.
	Values []string
	// Text is a sentence about it, and Why one in parentheses. A row has one of them at most.
	Text, Why string
	// Problem says that somebody has to look after it.
	Problem bool
	// Colour is that of lead and name. Where it is "", a problem is red.
	Colour Colour
}

func (r Row) lead() string {
	switch {
	case r.Lead != "":
		return r.Lead
	case r.Problem:
		return "! "
	}
	return "  "
}

func (r Row) colour() Colour {
	if r.Colour == "" && r.Problem {
		return Red
	}
	return r.Colour
}

// sentence is the text of a row as it stands beside it.
func (r Row) sentence() string {
	if r.Why != "" {
		return "(" + r.Why + ")"
	}
	return r.Text
}

// flow is what stands beside the name, or below it.
func (r Row) flow() string {
	parts := slices.DeleteFunc(append(slices.Clone(r.Values), r.sentence()), func(part string) bool { return part == "" })
	return strings.Join(parts, "  ")
}

// Rows writes the rows, problems first. A text that several rows share stands once, above them.
func (p Page) Rows(rows []Row) string {
	var out strings.Builder
	for _, b := range blocks(p.ordered(rows)) {
		if b.text != "" {
			lead := b.rows[0].lead()
			out.WriteString(p.Wrap(p.Paint(b.rows[0].colour(), lead), strings.Repeat(" ", Length(lead)), b.text+":"))
			for n, r := range b.rows {
				b.rows[n].Lead, b.rows[n].Text, b.rows[n].Why = r.lead()+"  ", "", ""
			}
		}
		out.WriteString(p.fitting(b.rows))
	}
	return out.String()
}

// ordered returns the rows that are written, problems first.
func (p Page) ordered(rows []Row) []Row {
	var problems, others []Row
	for _, r := range rows {
		if r.Problem {
			problems = append(problems, r)
		} else {
			others = append(others, r)
		}
	}
	if p.ProblemsOnly {
		return problems
	}
	return append(problems, others...)
}

// block are rows below their common text, or with a text of their own each.
type block struct {
	text string
	rows []Row
}

// blocks returns the problems with a common text, then all rows with a text of their own, then the other common ones.
func blocks(rows []Row) []block {
	type shared struct{ lead, text string }
	key := func(r Row) shared { return shared{r.lead(), r.Text + r.Why} }
	groups := map[shared][]Row{}
	for _, r := range rows {
		if key(r).text != "" {
			groups[key(r)] = append(groups[key(r)], r)
		}
	}
	var problems, others []block
	var single []Row
	for _, r := range rows {
		group, known := groups[key(r)]
		switch b := (block{key(r).text, group}); {
		case len(group) == 1, key(r).text == "":
			single = append(single, r)
			continue
		case !known: // it is there, with the first of its rows
		case r.Problem:
			problems = append(problems, b)
		default:
			others = append(others, b)
		}
		delete(groups, key(r))
	}
	if len(single) > 0 {
		problems = append(problems, block{rows: single})
	}
	return append(problems, others...)
}

// fitting returns the rows in columns where they fit into the page. Else everything but the name wraps beside it, or
// below it where names are long.
func (p Page) fitting(rows []Row) string {
	columns := table(rows)
	fits, names := p.Width <= 0, 0
	if !fits {
		fits = !slices.ContainsFunc(columns, func(line string) bool { return Length(line) > p.Width })
	}
	for _, r := range rows {
		names = max(names, Length(r.lead()+r.Name)+2)
	}
	var out strings.Builder
	for n, r := range rows {
		name := r.lead() + r.Name
		painted := p.Paint(r.colour(), name)
		switch indent := strings.Repeat(" ", names); {
		case fits:
			out.WriteString(painted + strings.TrimPrefix(columns[n], name) + "\n")
		case names <= p.Width/2:
			out.WriteString(p.Wrap(painted+indent[Length(name):], indent, r.flow()))
		default:
			indent = strings.Repeat(" ", Length(r.lead())+4)
			out.WriteString(strings.TrimRight(painted, " ") + "\n" + p.Wrap(indent, indent, r.flow()))
		}
	}
	return out.String()
}

// table returns the lines of the rows in columns. A text is as wide as it is.
func table(rows []Row) []string {
	var out strings.Builder
	writer := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		cells := append([]string{r.lead() + r.Name}, r.Values...)
		if text := r.sentence(); text != "" {
			cells = append(cells, text)
		}
		_, _ = writer.Write([]byte(strings.Join(cells, "\t") + "\n")) // a strings.Builder takes everything
	}
	_ = writer.Flush()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for n := range lines {
		lines[n] = strings.TrimRight(lines[n], " ")
	}
	return lines
}
