package hcloud

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Coverage returns the generated part of README.md: the calls, the rules with their sources, and the
// guesses with what would change.
func Coverage() string {
	var out strings.Builder
	out.WriteString("### Calls\n\n")
	for _, routes := range []map[string]handler{coreRoutes, networkRoutes, balancerRoutes, certificateRoutes} {
		for _, pattern := range slices.Sorted(maps.Keys(routes)) {
			fmt.Fprintf(&out, "- `%s`\n", pattern)
		}
	}
	out.WriteString("\n### Rules\n\n| rule | where | what must hold | source | answer |\n|---|---|---|---|---|\n")
	for _, rule := range Rules() {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", rule.ID, rule.Where, rule.Text, rule.Source, rule.answer())
	}
	out.WriteString("\n### Guesses\n\n| rule | if it is wrong |\n|---|---|\n")
	for _, rule := range Rules() {
		if rule.Source == guess {
			fmt.Fprintf(&out, "| %s | %s |\n", rule.ID, rule.IfWrong)
		}
	}
	return out.String()
}

// answer is what a refusal by the rule looks like.
func (r Rule) answer() string {
	switch {
	case r.Silent:
		return "–"
	case r.Status == 0:
		return fmt.Sprintf("%d %s", http.StatusUnprocessableEntity, codeInvalid)
	default:
		return fmt.Sprintf("%d %s", r.Status, r.Code)
	}
}
