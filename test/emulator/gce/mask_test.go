package gce

import (
	"encoding/json"
	"testing"
)

func TestMask(t *testing.T) {
	const object = `{"items":{"z":{"list":[{"a":1,"b":{"c":2,"d":3}}],"w":1}},"next":"n","kind":"k"}`
	for text, want := range map[string]string{
		"*":                        object,
		"kind":                     `{"kind":"k"}`,
		"items/z/w,next":           `{"items":{"z":{"w":1}},"next":"n"}`,
		"items/*/list(a,b/c),kind": `{"items":{"z":{"list":[{"a":1,"b":{"c":2}}]}},"kind":"k"}`,
		"items(z(list/b(d)))":      `{"items":{"z":{"list":[{"b":{"d":3}}]}}}`,
		"items/z/list/a,items/z/w": `{"items":{"z":{"list":[{"a":1}],"w":1}}}`,
		"items/z/w,items,kind":     `{"items":{"z":{"list":[{"a":1,"b":{"c":2,"d":3}}],"w":1}},"kind":"k"}`,
		"other":                    `{}`,
	} {
		m, err := parseMask(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var value, wanted any
		if json.Unmarshal([]byte(object), &value) != nil || json.Unmarshal([]byte(want), &wanted) != nil {
			t.Fatal("the test's own JSON")
		}
		if got, want := hash(m.apply(value)), hash(wanted); got != want {
			t.Errorf("%s keeps %v", text, m.apply(value))
		}
	}
	for _, text := range []string{"", "a(", "a)", "a,", "a//b", "(a)"} {
		if _, err := parseMask(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, text := range []string{"items(id,name),next", "a/b(c/*)", "((", ",,"} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if m, err := parseMask(text); err == nil {
			m.apply(fields{"items": []any{fields{"id": 1}}})
		}
	})
}
