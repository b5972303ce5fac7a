package annotation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

func TestKernelKeys(t *testing.T) {
	if err := annotation.Kernel().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, key := range annotation.Kernel() {
		if !strings.HasPrefix(key.Name, annotation.Prefix) {
			t.Errorf("%s is not under %s", key.Name, annotation.Prefix)
		}
	}
}

func TestWith(t *testing.T) {
	provider := annotation.Set{
		{Name: "cloud.io/size", Type: annotation.TypeInt, Doc: "Size."},
		annotation.Disown.WithAliases("cloud.io/disown"),
	}
	var names []string
	for _, key := range annotation.Kernel().With(provider) {
		names = append(names, key.Name)
	}
	want := []string{"cloud.io/size", annotation.Disown.Name}
	for _, key := range annotation.Kernel() {
		if key.Name != annotation.Disown.Name {
			want = append(want, key.Name)
		}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	values, _ := annotation.Kernel().With(provider).Parse(map[string]string{"cloud.io/disown": "true"})
	if !annotation.Disown.Bool(values) {
		t.Error("the alias of a kernel key is not read under the kernel key")
	}
}

func TestWithAliasesSharesNothing(t *testing.T) {
	aliases := slices.Grow([]string{"a/x"}, 4)
	one := annotation.Key{Name: "n/1", Aliases: []string{"own/1"}}.WithAliases(aliases...)
	two := annotation.Key{Name: "n/2", Aliases: []string{"own/2"}}.WithAliases(aliases...)
	if !cmp.Equal(one.Aliases, []string{"a/x", "own/1"}) || !cmp.Equal(two.Aliases, []string{"a/x", "own/2"}) {
		t.Errorf("aliases %v and %v", one.Aliases, two.Aliases)
	}
}

func TestUnknownKeys(t *testing.T) {
	set := annotation.Set{
		{Name: "service.beta.kubernetes.io/do-loadbalancer-size-unit", Type: annotation.TypeInt},
		{Name: "kubernetes.digitalocean.com/load-balancer-id", Type: annotation.TypeString},
		{Name: "multicloud-ccm.io/retain", Type: annotation.TypeBool},
	}
	tests := []struct{ key, want string }{
		{"service.beta.kubernetes.io/do-loadbalancer-size-unt", "a known key; did you mean service.beta.kubernetes.io/do-loadbalancer-size-unit?"},
		{"service.beta.kubernetes.io/do-loadbalancer-something-else-entirely", "a known key"},
		{"kubernetes.digitalocean.com/load-balancer-uuid", "a known key; did you mean kubernetes.digitalocean.com/load-balancer-id?"},
		{"multicloud-ccm.io/retian", "a known key; did you mean multicloud-ccm.io/retain?"},
		{"service.beta.kubernetes.io/aws-load-balancer-type", ""},
		{"service.beta.kubernetes.io/load-balancer-source-ranges", ""},
		{"notkubernetes.io/do-loadbalancer-size-unit", ""},
		{"kubectl.kubernetes.io/last-applied-configuration", ""},
		{"plain", ""},
	}
	for _, test := range tests {
		t.Run(test.key, func(t *testing.T) {
			_, problems := set.Parse(map[string]string{test.key: "1"})
			if test.want == "" {
				if len(problems) != 0 {
					t.Fatalf("problems %v, want none", problems)
				}
				return
			}
			want := []annotation.Problem{{Key: test.key, Value: "1", Want: test.want, Warning: true, Unknown: true}}
			if diff := cmp.Diff(want, problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// The nearest key must not depend on the order of a map.
func TestSuggestionIsStable(t *testing.T) {
	set := annotation.Set{{Name: "x.io/abc"}, {Name: "x.io/abd"}, {Name: "x.io/ab"}, {Name: "x.io/abcef"}}
	for range 50 {
		_, problems := set.Parse(map[string]string{"x.io/abe": ""})
		if got := problems[0].Want; got != "a known key; did you mean x.io/ab?" {
			t.Fatal(got)
		}
	}
}

func TestHostname(t *testing.T) {
	tests := []struct {
		given string
		want  string
		ok    bool
	}{
		{"www.Example.COM", "www.example.com", true},
		{"localhost", "localhost", true},
		{"a-b.c1", "a-b.c1", true},
		{"192.0.2.1", "", false},
		{"::1", "", false},
		{"-a.com", "", false},
		{"a-.com", "", false},
		{"a..com", "", false},
		{"example.com.", "", false},
		{"under_score.com", "", false},
		{"*.example.com", "", false},
		{strings.Repeat("a", 64) + ".com", "", false},
		{strings.Repeat("a", 63) + ".com", strings.Repeat("a", 63) + ".com", true},
		{strings.Repeat("a.", 127) + "a", "", false},
	}
	for _, test := range tests {
		values, problems := annotation.Kernel().Parse(map[string]string{annotation.Hostname.Name: test.given})
		if values[annotation.Hostname.Name] != test.want || (len(problems) == 0) != test.ok {
			t.Errorf("%q: value %q, problems %v, want %q, ok %v", test.given, values[annotation.Hostname.Name], problems, test.want, test.ok)
		}
	}
}

func TestValidate(t *testing.T) {
	good := annotation.Key{Name: "a/b", Type: annotation.TypeString, Doc: "Good."}
	change := func(edit func(*annotation.Key)) annotation.Set {
		key := good
		edit(&key)
		return annotation.Set{key}
	}
	tests := []struct {
		name string
		set  annotation.Set
		want string
	}{
		{"good", annotation.Set{good}, ""},
		{"no name", change(func(k *annotation.Key) { k.Name = "" }), "a spelling is empty"},
		{"no doc", change(func(k *annotation.Key) { k.Doc = "" }), "no documentation"},
		{"type", change(func(k *annotation.Key) { k.Type = "float" }), `type "float" is not known`},
		{"enum without values", change(func(k *annotation.Key) { k.Type = annotation.TypeEnum }), "type enum"},
		{"values without enum", change(func(k *annotation.Key) { k.Enum = []string{"a"} }), "type string"},
		{"bounds", change(func(k *annotation.Key) { k.Type, k.Min, k.Max = annotation.TypeInt, 3, 2 }), "between 3 and 2"},
		{"bounded string", change(func(k *annotation.Key) { k.Max = 2 }), "bounds on type string"},
		{"default of a presence", change(func(k *annotation.Key) { k.Type, k.Default = annotation.TypePresence, "true" }), "presence"},
		{"wrong default", change(func(k *annotation.Key) { k.Type, k.Default = annotation.TypeBool, "ja" }), `default "ja" is not valid`},
		{"odd default", change(func(k *annotation.Key) { k.Type, k.Default = annotation.TypeDuration, "60s" }), `canonical form "60"`},
		{"taken", annotation.Set{good, {Name: "c/d", Aliases: []string{"a/b"}, Type: annotation.TypeString, Doc: "Bad."}}, `spelling of "a/b" too`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.set.Validate()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("Validate() = %v, want %q in it", err, test.want)
			}
		})
	}
}
