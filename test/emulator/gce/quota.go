package gce

import (
	"maps"
	"slices"
	"strings"
)

// quota refuses one more object of a metric whose limit is reached.
func (c *call) quota(path string) error {
	limit, limited := c.project.quotas[c.kind.metric]
	if !limited || c.store.byPath[path] != nil {
		return nil
	}
	scope := ""
	if strings.HasPrefix(c.scope, "regions/") {
		scope = c.scope
	}
	if c.store.usage(c.project.id, c.kind.metric, scope) >= limit {
		return broken("common/quota", "Quota '%s' exceeded.  Limit: %d.0 in %s.", c.kind.metric, limit, c.scope)
	}
	return nil
}

// usage counts the objects of a metric in a project, or in a region of it.
func (t *store) usage(project, metric, scope string) int {
	used := 0
	for _, k := range kinds {
		if k.metric == metric {
			used += len(t.of(project, k.name, scope))
		}
	}
	return used
}

// viewQuotas sets the limits that a project or a region answers: those that are set.
func viewQuotas(t *store, r *resource, out fields) {
	project, scope := t.projects[r.project()], ""
	if r.kind.name == "regions" {
		scope = "regions/" + r.name()
	}
	quotas := []any{}
	for _, metric := range slices.Sorted(maps.Keys(project.quotas)) {
		regional := false
		for _, k := range kinds {
			regional = regional || (k.metric == metric && k.scoped() == "regions")
		}
		if regional == (scope != "") {
			quotas = append(quotas, fields{"metric": metric, "limit": project.quotas[metric], "usage": t.usage(r.project(), metric, scope)})
		}
	}
	out["quotas"] = quotas
}
