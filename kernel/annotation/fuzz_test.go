package annotation

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// everyType has a key of each type, with aliases, bounds and a check.
var everyType = Set{
	{Name: "x.io/string", Aliases: []string{"y.io/string"}, Type: TypeString},
	{Name: "x.io/hostname", Type: TypeString, Check: checkHostname},
	{Name: "x.io/bool", Aliases: []string{"y.io/bool"}, Type: TypeBool, Default: "false", Lenient: true},
	{Name: "x.io/int", Type: TypeInt},
	{Name: "x.io/bounded", Type: TypeInt, Min: 1, Max: 65535},
	{Name: "x.io/enum", Type: TypeEnum, Enum: []string{"a", "b"}, Default: "a"},
	{Name: "x.io/list", Type: TypeList},
	{Name: "x.io/ports", Type: TypePorts},
	{Name: "x.io/duration", Type: TypeDuration, Default: "30", Min: 1, Max: 600},
	{Name: "x.io/presence", Type: TypePresence},
}

// FuzzParse checks for any value of any key: what comes out is canonical, and what went in
// is a value, a problem or empty.
func FuzzParse(f *testing.F) {
	for _, value := range []string{"", " ", "true", "T", "-1", "+5", "80, 443", "0", "a,,b", "1h30m", "3.0", "9223372036854775807s", "-0s", "example.COM", "\x00", "1e9", "٣", "\u00a0"} {
		f.Add("x.io/string", value, "y.io/bool", value)
	}
	f.Add("x.io/ports", "00080", "x.io/int", "-0")
	f.Fuzz(func(t *testing.T, key1, value1, key2, value2 string) {
		for _, key := range everyType {
			given := map[string]string{key.Name: value1, key1: value2, key2: value1}
			before := maps.Clone(given)
			values, problems := everyType.Parse(given)
			if !maps.Equal(before, given) {
				t.Fatalf("Parse changed its input %q to %q", before, given)
			}
			checkValues(t, values)
			checkProblems(t, given, problems)
			blank := strings.TrimSpace(strings.ReplaceAll(given[key.Name], ",", "")) == ""
			accounted := blank || key.Has(values) || slices.ContainsFunc(problems, func(p Problem) bool { return slices.Contains(key.Spellings(), p.Key) })
			if !accounted {
				t.Fatalf("%s=%q is neither a value nor a problem", key.Name, given[key.Name])
			}
		}
	})
}

// checkValues parses the canonical values again: nothing may change.
func checkValues(t *testing.T, values Values) {
	t.Helper()
	again, problems := everyType.Parse(values)
	if !maps.Equal(values, again) || len(problems) != 0 {
		t.Fatalf("canonical %q parses as %q with problems %v", values, again, problems)
	}
	for name, value := range values {
		if value == "" {
			t.Fatalf("%s has an empty value", name)
		}
	}
}

func checkProblems(t *testing.T, given map[string]string, problems []Problem) {
	t.Helper()
	if !slices.IsSortedFunc(problems, func(a, b Problem) int { return strings.Compare(a.Key, b.Key) }) {
		t.Fatalf("problems are not sorted: %v", problems)
	}
	for _, p := range problems {
		if value, ok := given[p.Key]; !ok || value != p.Value || p.Want == "" {
			t.Fatalf("problem %+v does not fit %q", p, given)
		}
	}
}

// FuzzEditDistance checks that it is a metric, and bounded by the lengths.
func FuzzEditDistance(f *testing.F) {
	f.Add("retain", "retian", "")
	f.Add("a", "", "abc")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if len(a) > 100 || len(b) > 100 || len(c) > 100 {
			t.Skip()
		}
		ab, ba, bc, ac := Distance(a, b), Distance(b, a), Distance(b, c), Distance(a, c)
		longer, difference := max(len(a), len(b)), max(len(a), len(b))-min(len(a), len(b))
		switch {
		case ab != ba:
			t.Errorf("not symmetric: %d and %d", ab, ba)
		case (ab == 0) != (a == b):
			t.Errorf("distance %d of %q and %q", ab, a, b)
		case ac > ab+bc:
			t.Errorf("triangle: %d > %d + %d", ac, ab, bc)
		case ab > longer || ab < difference:
			t.Errorf("distance %d of lengths %d and %d", ab, len(a), len(b))
		}
	})
}
