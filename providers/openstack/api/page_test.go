package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
)

// TestBrokenPages: what is not a whole list must never look like one.
func TestBrokenPages(t *testing.T) {
	const next = `"ports_links": [{"rel": "previous", "href": "x"}, {"rel": "next", "href": "http://192.0.2.1/unreachable"}]`
	first := `{"ports": [{"id": "1"}, {"id": "2"}], ` + next + `}`
	tests := []struct {
		name  string
		pages map[string]string // by marker
		want  int               // -1 for an error
	}{
		{"one page", map[string]string{"": `{"ports": [{"id": "1"}]}`}, 1},
		{"none", map[string]string{"": `{"ports": []}`}, 0},
		{"two pages", map[string]string{"": first, "2": `{"ports": [{"id": "3"}]}`}, 3},
		{"an empty last page", map[string]string{"": first, "2": `{"ports": [], ` + next + `}`}, 2},
		{"no list", map[string]string{"": `{}`}, -1},
		{"null", map[string]string{"": `{"ports": null}`}, -1},
		{"an empty answer", map[string]string{"": ``}, -1},
		{"no list on the second page", map[string]string{"": first, "2": `{}`}, -1},
		{"an item without id", map[string]string{"": `{"ports": [{"id": "1"}, {}]}`}, -1},
		{"another list", map[string]string{"": `{"servers": [{"id": "1"}]}`}, -1},
		{"links of another kind", map[string]string{"": `{"ports": [{"id": "1"}], "ports_links": "next"}`}, -1},
		{"the same page again", map[string]string{"": first, "2": first}, -1},
		{"a failed second page", map[string]string{"": first}, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				page, ok := test.pages[r.URL.Query().Get("marker")]
				if !ok {
					w.WriteHeader(http.StatusInternalServerError)
				}
				_, _ = fmt.Fprint(w, page)
			}))
			t.Cleanup(server.Close)
			client := &gophercloud.ServiceClient{ProviderClient: &gophercloud.ProviderClient{}, Endpoint: server.URL + "/"}
			ports, err := ListAll[item](t.Context(), client, "ports", "ports", nil)
			if (err != nil) != (test.want < 0) || err == nil && len(ports) != test.want {
				t.Errorf("%d ports, %v; want %d", len(ports), err, test.want)
			}
		})
	}
}

// item is one of a list.
type item struct {
	ID string `json:"id"`
}

func (i item) Identifier() string { return i.ID }
