package annotation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

func TestTypes(t *testing.T) {
	const refused = "refused"
	upper := func(value string) (string, bool) { return strings.ToUpper(value), value != "bad" }
	keys := map[string]annotation.Key{
		"string":   {Type: annotation.TypeString},
		"checked":  {Type: annotation.TypeString, Check: upper},
		"bool":     {Type: annotation.TypeBool},
		"int":      {Type: annotation.TypeInt},
		"bounded":  {Type: annotation.TypeInt, Min: 2, Max: 10},
		"enum":     {Type: annotation.TypeEnum, Enum: []string{"a", "B"}},
		"list":     {Type: annotation.TypeList},
		"ports":    {Type: annotation.TypePorts},
		"duration": {Type: annotation.TypeDuration},
		"seconds":  {Type: annotation.TypeDuration, Min: 3, Max: 300},
		"presence": {Type: annotation.TypePresence},
	}
	tests := []struct{ kind, given, want string }{
		{"string", "  x y ", "x y"},
		{"string", "", ""},
		{"checked", "abc", "ABC"},
		{"checked", "bad", refused},
		{"checked", "  ", ""},
		{"bool", "T", "true"},
		{"bool", " 0 ", "false"},
		{"bool", "yes", refused},
		{"bool", "", ""},
		{"int", "+07", "7"},
		{"int", "-3", "-3"},
		{"int", "1e3", refused},
		{"int", "99999999999999999999", refused},
		{"bounded", "2", "2"},
		{"bounded", "10", "10"},
		{"bounded", "1", refused},
		{"bounded", "11", refused},
		{"enum", "B", "B"},
		{"enum", "b", refused},
		{"list", " a, b ,,c", "a,b,c"},
		{"list", " , ", ""},
		{"ports", "80, 443,", "80,443"},
		{"ports", "0", refused},
		{"ports", "65536", refused},
		{"ports", "80;443", refused},
		{"ports", ",", ""},
		{"duration", "90s", "90"},
		{"duration", "1m30s", "90"},
		{"duration", "+090", "90"},
		{"duration", "0", "0"},
		{"duration", "-1s", refused},
		{"duration", "-1", refused},
		{"duration", "1500ms", refused},
		{"duration", "soon", refused},
		{"seconds", "3", "3"},
		{"seconds", "5m", "300"},
		{"seconds", "2s", refused},
		{"seconds", "301", refused},
		{"presence", "false", "true"},
		{"presence", "", "true"},
	}
	for _, test := range tests {
		t.Run(test.kind+"/"+test.given, func(t *testing.T) {
			key := keys[test.kind]
			key.Name = "example.com/key"
			values, problems := annotation.Set{key}.Parse(map[string]string{key.Name: test.given})
			if test.want == refused {
				if len(problems) != 1 || problems[0].Warning || key.Has(values) {
					t.Fatalf("values %v, problems %v, want one error and no value", values, problems)
				}
				return
			}
			if len(problems) != 0 || values[key.Name] != test.want || key.Has(values) != (test.want != "") {
				t.Fatalf("value %q, problems %v, want %q", values[key.Name], problems, test.want)
			}
		})
	}
}

func TestParseReportsEverythingAtOnce(t *testing.T) {
	set := annotation.Set{
		{Name: "example.com/size", Type: annotation.TypeInt, Min: 1, Max: 3},
		{Name: "example.com/kind", Type: annotation.TypeEnum, Enum: []string{"big", "small"}, Default: "big"},
		{Name: "example.com/keep", Type: annotation.TypeBool, Default: "false", Lenient: true},
		{Name: "example.com/wait", Type: annotation.TypeDuration, Want: "a wait"},
	}
	values, problems := set.Parse(map[string]string{
		"example.com/size": "9", "example.com/kind": "medium", "example.com/keep": "maybe",
		"example.com/wait": "long", "example.com/sise": "1", "other.io/size": "x",
	})
	if diff := cmp.Diff(annotation.Values{}, values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	want := []annotation.Problem{
		{Key: "example.com/keep", Value: "maybe", Want: `"true" or "false"`, Warning: true},
		{Key: "example.com/kind", Value: "medium", Want: "one of big, small"},
		{Key: "example.com/sise", Value: "1", Want: "a known key; did you mean example.com/size?", Warning: true, Unknown: true},
		{Key: "example.com/size", Value: "9", Want: "a whole number between 1 and 3"},
		{Key: "example.com/wait", Value: "long", Want: "a wait"},
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if set[1].In(values) != "big" || set[2].Bool(values) {
		t.Error("a refused value did not leave the default")
	}
}

// A list of thousands of items is one problem, whatever is in it: each item may cost a message, or a request to the cloud.
func TestLongLists(t *testing.T) {
	set := annotation.Set{
		annotation.Key{Name: "example.com/names", Type: annotation.TypeList}.AtMost(2),
		{Name: "example.com/ports", Type: annotation.TypePorts},
	}
	for value, want := range map[string]string{"a,b": "", "a,b,c": "at most 2 items, and not 3", strings.Repeat("a,", 15_000): "at most 2 items, and not 15000"} {
		_, problems := set.Parse(map[string]string{"example.com/names": value})
		if got := len(problems); (got == 1) != (want != "") || got == 1 && problems[0].Want != want {
			t.Errorf("%.20s: %.300v", value, problems)
		}
	}
	if _, problems := set.Parse(map[string]string{"example.com/ports": strings.Repeat("80,", 1001)}); len(problems) != 1 || problems[0].Want != "at most 1000 items, and not 1001" {
		t.Errorf("%.300v", problems)
	}
}

func TestAliases(t *testing.T) {
	key := annotation.Key{Name: "multicloud-ccm.io/x", Aliases: []string{"a.com/x", "b.com/x"}, Type: annotation.TypeBool, Default: "false"}
	tests := []struct {
		name  string
		given map[string]string
		want  string
		warn  []string
		fails bool

		prevails string
	}{
		{name: "absent", want: "false"},
		{name: "alias alone", given: map[string]string{"b.com/x": "1"}, want: "true"},
		{name: "an alias wins", given: map[string]string{"multicloud-ccm.io/x": "false", "a.com/x": "true"}, want: "true", warn: []string{"multicloud-ccm.io/x"}},
		{name: "first alias wins", given: map[string]string{"a.com/x": "true", "b.com/x": "false"}, want: "true", warn: []string{"b.com/x"}},
		{name: "another spelling of the same value", given: map[string]string{"multicloud-ccm.io/x": "true", "a.com/x": " T"}, want: "true"},
		{name: "the loser is not valid", given: map[string]string{"multicloud-ccm.io/x": "ja", "a.com/x": "true"}, want: "true", warn: []string{"multicloud-ccm.io/x"}},
		{name: "the winner is not valid", given: map[string]string{"multicloud-ccm.io/x": "true", "a.com/x": "ja"}, want: "false", warn: []string{"multicloud-ccm.io/x"}, fails: true},
		{name: "an empty one is as if absent", given: map[string]string{"multicloud-ccm.io/x": "true", "a.com/x": " "}, want: "true"},
		{name: "one that prevails", given: map[string]string{"multicloud-ccm.io/x": "true", "a.com/x": "false"}, prevails: "true", want: "true", warn: []string{"a.com/x"}},
		{name: "one that prevails over a value that is not valid", given: map[string]string{"multicloud-ccm.io/x": "T", "a.com/x": "ja"}, prevails: "true", want: "true", warn: []string{"a.com/x"}},
		{name: "none that prevails", given: map[string]string{"multicloud-ccm.io/x": "false", "a.com/x": "true"}, prevails: "false", want: "false", warn: []string{"a.com/x"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			key := key
			key.Prevails = test.prevails
			values, problems := annotation.Set{key}.Parse(test.given)
			if got := key.In(values); got != test.want {
				t.Errorf("value %q, want %q", got, test.want)
			}
			var warned []string
			failed := false
			for _, p := range problems {
				if p.Warning {
					warned = append(warned, p.Key)
				}
				failed = failed || !p.Warning
			}
			if diff := cmp.Diff(test.warn, warned); diff != "" || failed != test.fails {
				t.Errorf("problems %v, want warnings for %v and failure %v", problems, test.warn, test.fails)
			}
		})
	}
}

func TestTypedValues(t *testing.T) {
	values := map[string]string{"i": "12", "d": "60", "l": "a,b", "p": "80,443", "b": "true"}
	if got := (annotation.Key{Name: "i"}).Int(values); got != 12 {
		t.Errorf("Int() = %d", got)
	}
	if got := (annotation.Key{Name: "d"}).Duration(values); got.Seconds() != 60 {
		t.Errorf("Duration() = %v", got)
	}
	if got := (annotation.Key{Name: "l"}).List(values); !cmp.Equal(got, []string{"a", "b"}) {
		t.Errorf("List() = %v", got)
	}
	if got := (annotation.Key{Name: "p"}).Ports(values); !cmp.Equal(got, []int{80, 443}) {
		t.Errorf("Ports() = %v", got)
	}
	if !(annotation.Key{Name: "b"}).Bool(values) || (annotation.Key{Name: "none"}).Bool(values) {
		t.Error("Bool() is wrong")
	}
	if got := (annotation.Key{Name: "none"}).Ports(values); got != nil {
		t.Errorf("Ports() of an absent key = %v", got)
	}
}

func TestProblemText(t *testing.T) {
	p := annotation.Problem{Key: "a/b", Value: "x", Want: "a number"}
	if got, want := p.Error(), `annotation a/b: "x" is not valid: want a number`; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

// An empty value of a Blank key is one: it stands above what is configured.
func TestBlank(t *testing.T) {
	keys := annotation.Set{
		{Name: "x.io/network", Type: annotation.TypeString, Blank: true},
		{Name: "x.io/zone", Type: annotation.TypeString},
	}
	values, problems := keys.Parse(map[string]string{"x.io/network": " ", "x.io/zone": " "})
	if diff := cmp.Diff(annotation.Values{"x.io/network": ""}, values); diff != "" || len(problems) > 0 {
		t.Errorf("problems %v, values (-want +got):\n%s", problems, diff)
	}
}
