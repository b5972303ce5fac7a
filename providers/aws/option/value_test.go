package option

import (
	"fmt"
	"strings"
	"testing"
)

func TestCheckName(t *testing.T) {
	for value, want := range map[string]bool{
		"a": true, "web": true, "Shop-1": true, "internal": true, strings.Repeat("a", 32): true,
		strings.Repeat("a", 33): false, "-web": false, "web-": false, "internal-web": false, "shop.web": false, "shop_web": false, "käse": false, "web\n": false,
	} {
		if name, ok := checkName(value); ok != want || name != value {
			t.Errorf("%q: %q, %t; want %t", value, name, ok, want)
		}
	}
}

func TestCheckTags(t *testing.T) {
	many := func(n int) string {
		var pairs []string
		for i := range n {
			pairs = append(pairs, fmt.Sprintf("k%02d=v", i))
		}
		return strings.Join(pairs, ",")
	}
	for value, want := range map[string]string{
		"":                            "",
		"stage=prod, team=":           "stage=prod,team=",
		"team":                        "team=",
		"a=b=c":                       "a=b",
		"mail=a+b@example.com":        "mail=a+b@example.com",
		"url=https://example.com/a_b": "url=https://example.com/a_b",
		"who=Zoë 2":                   "who=Zoë 2",
		many(40):                      many(40),
		strings.Repeat("é", 128) + "=" + strings.Repeat("é", 256): strings.Repeat("é", 128) + "=" + strings.Repeat("é", 256),
	} {
		if got, ok := checkTags(value); !ok || got != want {
			t.Errorf("%q: %q, %t; want %q", value, got, ok, want)
		}
	}
	for _, value := range []string{
		"=v", "aws:team=web", "AWS:team=web", "team=we*b", "te(am=web", "team=web;stage", "team=\xff", many(41),
		strings.Repeat("é", 129) + "=v", "k=" + strings.Repeat("é", 257),
	} {
		if got, ok := checkTags(value); ok {
			t.Errorf("%q is taken for %q", value, got)
		}
	}
}
