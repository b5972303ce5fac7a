package option

import (
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern string
		yes, no []string
	}{
		{"public", []string{"public"}, []string{"public-1", "a-public", ""}},
		{"public-*", []string{"public-1", "public-"}, []string{"public", "a/public-1"}},
		{"pub?ic", []string{"public"}, []string{"pubic"}},
		{"{a,b}-net", []string{"a-net", "b-net"}, []string{"c-net"}},
		{"!public-*", []string{"private", ""}, []string{"public-1"}},
		{"~pub.*", []string{"public", "pub"}, []string{"a-pub"}},
		{"!~pub.*", []string{"a-pub"}, []string{"public"}},
		{"~a|b", []string{"a", "b"}, []string{"ab"}},
	} {
		match, ok := CompilePattern(test.pattern)
		if !ok {
			t.Errorf("%s is refused", test.pattern)
			continue
		}
		for _, name := range test.yes {
			if !match(name) {
				t.Errorf("%s does not match %q", test.pattern, name)
			}
		}
		for _, name := range test.no {
			if match(name) {
				t.Errorf("%s matches %q", test.pattern, name)
			}
		}
	}
	for _, bad := range []string{"~(", "[", "!~["} {
		if _, ok := CompilePattern(bad); ok {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func TestTagExpressions(t *testing.T) {
	for _, test := range []struct {
		expression    string
		none, a, both bool
	}{
		{"", true, true, true},
		{"a", false, true, true},
		{"a,b", false, true, true},
		{"&a,b", false, false, true},
		{"!a,b", true, false, false},
		{"!&a,b", true, true, false},
		{"a b", false, true, true},
	} {
		for want, tags := range map[*bool][]string{&test.none: {"x"}, &test.a: {"x", "a"}, &test.both: {"b", "a"}} {
			if got := MatchTags(test.expression, tags); got != *want {
				t.Errorf("%q on %v is %t", test.expression, tags, got)
			}
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"public-*", "!~(a|b)+", "{a,{b,c}}", "[", "~", "!", "{"} {
		f.Add(seed, "public-1")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.Count(pattern, "{") > 6 {
			t.Skip("the alternatives multiply")
		}
		match, ok := CompilePattern(pattern)
		if !ok || strings.HasPrefix(pattern, "!") {
			return
		}
		if negated, ok := CompilePattern("!" + pattern); !ok || negated(name) == match(name) {
			t.Errorf("%q and its negation agree on %q", pattern, name)
		}
	})
}

func TestCanonicalSelector(t *testing.T) {
	for given, want := range map[string]string{"pool=edge": "pool=edge", "pool=, zone=a": "pool,zone=a", "pool": "pool", "": "", "a!=b": "a!=b", "a==": "a=="} {
		if got := canonicalSelector(given); got != want {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
	}
}
