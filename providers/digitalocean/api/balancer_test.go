package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/digitalocean/godo"
	"github.com/google/go-cmp/cmp"
)

// A page is what the SDK makes of it, and an answer that is no page is none.
func TestPage(t *testing.T) {
	for text, want := range map[string]struct {
		ids   []string // nil for no list
		total int
		bad   bool
	}{
		`{"load_balancers":[{"id":"a","droplet_ids":[1,2]},{"id":"b"}],"links":{},"meta":{"total":2}}`: {[]string{"a", "b"}, 2, false},
		`{"meta":{"total":0},"new":{"x":[1]},"load_balancers":[]}`:                                     {[]string{}, 0, false},
		`{"load_balancers":null}`:           {nil, 0, false},
		`{}`:                                {nil, 0, false},
		`{"load_balancers":[{"id":"a"}`:     {nil, 0, true},
		`{"load_balancers":[{"id":"a"}]`:    {nil, 0, true},
		`{"load_balancers":{"id":"a"}}`:     {nil, 0, true},
		`{"load_balancers":[{"id":1}]}`:     {nil, 0, true},
		`[]`:                                {nil, 0, true},
		``:                                  {nil, 0, true},
		`{"load_balancers":[{"id":"a"},,]}`: {nil, 0, true},
	} {
		response := &godo.Response{}
		all, err := decodePage(json.NewDecoder(strings.NewReader(text)), response)
		if (err != nil) != want.bad {
			t.Errorf("%s: %v", text, err)
		}
		if want.bad {
			continue
		}
		var ids []string
		if all != nil {
			ids = []string{}
		}
		for _, lb := range all {
			ids = append(ids, lb.ID)
		}
		if diff := cmp.Diff(want.ids, ids); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
		if response.Meta != nil && response.Meta.Total != want.total {
			t.Errorf("%s: total %d", text, response.Meta.Total)
		}
	}
}
