package composite

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// values joins the texts of several fields, "" where all of them are empty.
func values(texts []string) string {
	if !slices.ContainsFunc(texts, func(text string) bool { return text != "" }) {
		return ""
	}
	shown := slices.Clone(texts)
	for i := range shown {
		if len(shown) > 1 {
			shown[i] = cmp.Or(shown[i], `""`)
		}
	}
	return strings.Join(shown, ", ")
}

// value is a field for people: nothing of it is Go's, and the same value is the same text.
//
//	a field                        is printed as
//	the id of another resource     its kind and key
//	nil                            ""
//	a list                         its items, joined with commas
//	a map, a structure             key=value by key, as in requests, without what is nil; in {} where it is part of something
func value(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case fmt.Stringer, error:
		return fmt.Sprint(v)
	}
	switch r := dereferenced(v); r.Kind() {
	case reflect.Invalid:
		return ""
	case reflect.Slice, reflect.Array:
		var items []string
		for i := range r.Len() {
			items = append(items, part(r.Index(i).Interface()))
		}
		return strings.Join(items, ", ")
	case reflect.Map:
		pairs := map[string]any{}
		for _, key := range r.MapKeys() {
			pairs[fmt.Sprint(key.Interface())] = r.MapIndex(key).Interface()
		}
		return sorted(pairs)
	case reflect.Struct:
		pairs := map[string]any{}
		for field, is := range r.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.IsExported() {
				pairs[cmp.Or(name, field.Name)] = is.Interface()
			}
		}
		return sorted(pairs)
	default:
		return fmt.Sprint(r.Interface())
	}
}

// dereferenced returns what a value leads to, no value where that is nothing.
func dereferenced(v any) reflect.Value {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer {
		r = r.Elem()
	}
	return r
}

// sorted returns pairs as key=value, by key.
func sorted(pairs map[string]any) string {
	var list []string
	for key, is := range pairs {
		if dereferenced(is).IsValid() {
			list = append(list, key+"="+part(is))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// part is a value that is part of another one.
func part(v any) string {
	switch v.(type) {
	case fmt.Stringer, error:
		return value(v)
	}
	switch dereferenced(v).Kind() {
	case reflect.Map, reflect.Struct:
		return "{" + value(v) + "}"
	case reflect.Slice, reflect.Array:
		return "[" + value(v) + "]"
	default:
		return value(v)
	}
}

// difference returns the names of the fields that differ, sorted. Fields that only one side has are
// not compared.
func (m *model) difference(present, wanted cloud.Resource) []string {
	var fields []string
	for _, shall := range wanted.Fields.All() {
		is, isManaged := present.Fields.Named(shall.Name())
		if isManaged && !is.Resolved(m.resolved).Equal(shall.Resolved(m.resolved)) {
			fields = append(fields, shall.Name())
		}
	}
	return fields
}

func (m *model) same(present, wanted []cloud.Resource) bool {
	return len(present) == len(wanted) && !slices.ContainsFunc(wanted, func(w cloud.Resource) bool {
		p, exists := m.present.byRef[w.Ref()]
		return !exists || len(m.difference(p, w)) > 0
	})
}

// resolved returns a reference with the id in the place of what stands for it, as far as it is known.
//
//go:noinline // as references
func (m *model) resolved(ref cloud.Reference) cloud.Reference {
	switch {
	case ref.IsKnown():
	case ref.Chosen == "":
		if id := m.present.byRef[ref.Of].ID; id != "" {
			return cloud.ToID(id)
		}
	case m.chosen[ref.Chosen] != "":
		return cloud.ToID(m.chosen[ref.Chosen])
	}
	return ref
}
