package gce

import (
	"slices"
	"strconv"
	"strings"
)

// link is the URL of the object at a path, as answers have it.
func (t *store) link(path string) string { return t.options.LinkBase + path }

// pathOf returns the path in a URL, full or partial, of any host; "" when it is none. Partial ones
// begin with "projects/", "global/", "regions/" or "zones/", a slash before that is taken (upstream's
// CCM writes "/zones/z/instances/n").
func (t *store) pathOf(url, project string) string {
	path := url
	if _, rest, ok := strings.Cut(url, "://"); ok {
		_, path, _ = strings.Cut(rest, "/")
		for _, root := range []string{"compute/v1/", "v1/"} {
			path = strings.TrimPrefix(path, root)
		}
		if !strings.HasPrefix(path, "projects/") {
			return ""
		}
	}
	path = strings.TrimPrefix(path, "/")
	first, _, _ := strings.Cut(path, "/")
	switch first {
	case "projects":
		parts := strings.SplitN(path, "/", 3)
		if len(parts) < 3 {
			return ""
		}
		return "projects/" + t.projectID(parts[1]) + "/" + parts[2]
	case "global", "regions", "zones":
		return "projects/" + project + "/" + path
	}
	return ""
}

// resolve finds the object that a field names. Field is for the message.
func (c *call) resolve(url, field string, ref reference) (*resource, error) {
	path := c.store.pathOf(url, c.project.id)
	if path == "" && ref.zoned && !strings.Contains(url, "/") {
		path = c.collection() + "/" + url
		if len(ref.kinds) == 1 && kinds[ref.kinds[0]].segment() != c.kind.segment() {
			path = "projects/" + c.project.id + "/" + c.scope + "/" + kinds[ref.kinds[0]].segment() + "/" + url
		}
	}
	if path == "" {
		return nil, broken("common/url", "Invalid value for field 'resource.%s': '%s'. The URL is malformed.", field, url)
	}
	k := kindOf(path)
	if k == nil || !slices.Contains(ref.kinds, k.name) {
		return nil, broken("common/url", "Invalid value for field 'resource.%s': '%s'. Unexpected resource collection, wanted %s.", field, url, strings.Join(ref.kinds, ", "))
	}
	r := c.store.byPath[path]
	if r == nil {
		return nil, broken("common/reference", "The resource '%s' was not found", path)
	}
	if use := k.name + ".use"; r.project() != c.project.id && !c.s.account(c.r).may(r.project(), use) {
		return nil, broken("common/use", "Required 'compute.%s' permission for '%s'", use, path)
	}
	return r, nil
}

// link returns the object that a resolved field names, nil without it.
func (c *call) named(f fields, field string) *resource {
	return c.store.byPath[c.store.pathOf(text(f, field), c.project.id)]
}

// canonical turns the names of other objects into full URLs, in place, and returns their paths.
func (c *call) canonical(f fields) (uses []string, err error) {
	for _, ref := range c.kind.references {
		err = each(f, ref.field, "", func(url, field string) (string, error) {
			r, err := c.resolve(url, field, ref)
			if err != nil {
				return "", err
			}
			if !ref.weak {
				uses = append(uses, r.path)
			}
			return c.store.link(r.path), nil
		})
		if err != nil {
			return nil, err
		}
	}
	return uses, nil
}

// each replaces the texts at a path of fields, "list[].b" in all elements.
func each(f fields, path, prefix string, replace func(value, field string) (string, error)) error {
	name, rest, deeper := strings.Cut(path, ".")
	listName, isList := strings.CutSuffix(name, "[]")
	switch value := f[listName].(type) {
	case string:
		replaced, err := replace(value, prefix+listName)
		f[listName] = replaced
		return err
	case fields:
		if deeper {
			return each(value, rest, prefix+listName+".", replace)
		}
	case []any:
		if !isList {
			return nil
		}
		for i, element := range value {
			field := prefix + listName + "[" + strconv.Itoa(i) + "]"
			switch element := element.(type) {
			case string:
				replaced, err := replace(element, field)
				if err != nil {
					return err
				}
				value[i] = replaced
			case fields:
				if err := each(element, rest, field+".", replace); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
