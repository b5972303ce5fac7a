package hcloud

import (
	"fmt"
	"maps"
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
	out.WriteString("\n### Rules\n\n" + table.Markdown())
	return out.String()
}
