package gce

import (
	"fmt"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
)

// Coverage returns the generated part of README.md: the methods and what the document checks of
// each, the rules by hand with their sources, and the guesses with what would change.
func Coverage() string {
	var out strings.Builder
	document := discovery.Load()
	fmt.Fprintf(&out, "%d methods, %d schemas, from the discovery document of revision %s (google.golang.org/api %s).\n\n",
		len(document.Methods), len(document.Schemas), document.Revision, document.Module)
	out.WriteString("### Methods\n\nThe document's checks: `path` parameters with a pattern, `query` parameters, fields of the `body` with their types, enums and patterns.\nRules are those by hand for the method, beside the ones that hold for `all`, `reads` or `writes`.\n\n")
	out.WriteString("| method | path | query | body | rules by hand |\n|---|---|---|---|---|\n")
	for _, name := range discovery.Emulated() {
		m := document.Methods[name]
		path, query := 0, 0
		for _, p := range m.Parameters {
			switch {
			case p.Location == "query":
				query++
			case p.Pattern != "":
				path++
			}
		}
		body := "–"
		if m.Request != "" {
			body = fmt.Sprintf("%s, %d", m.Request, len(document.Schemas[m.Request].Properties))
		}
		var rules []string
		for _, rule := range Rules() {
			if holdsFor(rule, name) {
				rules = append(rules, rule.ID)
			}
		}
		fmt.Fprintf(&out, "| %s | %d | %d | %s | %s |\n", name, path, query, body, strings.Join(rules, ", "))
	}
	out.WriteString("\n### Rules by hand\n\nSource: `document` is a description in the discovery document, `vendor` the vendor's pages and tools, `upstream` what Google's own CCM relies on.\n\n")
	out.WriteString(table.Markdown())
	return out.String()
}

// holdsFor says whether a rule is about a method: its name, its collection or its verb.
func holdsFor(r Rule, method string) bool {
	collection, verb, _ := strings.Cut(method, ".")
	for word := range strings.FieldsSeq(r.Where) {
		if word == method || word == collection || (word == verb && !strings.HasSuffix(collection, "Operations")) {
			return true
		}
	}
	return false
}
