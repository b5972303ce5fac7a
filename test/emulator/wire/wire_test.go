package wire_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

func TestDecodeIsStrict(t *testing.T) {
	for body, want := range map[string]wire.Malformed{
		"":                   {Cause: wire.Empty},
		"{":                  {Cause: wire.Syntax},
		"cow":                {Cause: wire.Syntax},
		`{"a":{"b":"x"}}`:    {Cause: wire.WrongType, Field: "a.b", Value: "string"},
		`{"a":{"c":1}}`:      {Cause: wire.Unknown, Field: "c"},
		`{"a":{"b":1}} true`: {Cause: wire.Extra},
	} {
		var into struct {
			A struct {
				B int `json:"b"`
			} `json:"a"`
		}
		var got *wire.Malformed
		if err := wire.Decode(strings.NewReader(body), &into); !errors.As(err, &got) || *got != want || err.Error() == "" {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
	}
	var into struct{ A int }
	if err := wire.Decode(strings.NewReader(" {\"A\":1}\n"), &into); err != nil || into.A != 1 {
		t.Errorf("a good body: %v %v", into, err)
	}
}

func TestPages(t *testing.T) {
	for query, want := range map[string][2]int{
		"": {0, 25}, "page=2": {25, 50}, "page=3": {50, 60}, "page=4": {60, 60}, "page=99999999999999999999": {0, 25}, "page=1000000": {60, 60},
		"per_page=1000": {0, 50}, "per_page=7&page=9": {56, 60}, "page=0&per_page=-1": {0, 25},
	} {
		page := wire.PageOf(httptest.NewRequest(http.MethodGet, "/?"+query, nil), 25, 50)
		if start, end := page.Bounds(60); [2]int{start, end} != want {
			t.Errorf("%s: %d to %d, want %v", query, start, end, want)
		}
	}
	page := wire.Page{Number: 1, Size: 50}
	for total, want := range map[int]int{0: 0, 1: 1, 50: 1, 51: 2} {
		if got := page.Last(total); got != want {
			t.Errorf("the last page of %d is %d, want %d", total, got, want)
		}
	}
}

func TestBearer(t *testing.T) {
	for header, want := range map[string]string{"": "", "Bearer a": "a", "bearer  a ": "a", "Basic a": "", "Bearer": ""} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Authorization", header)
		if got := wire.Bearer(r); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

func TestRoute(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /a/{id}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	for path, want := range map[string]string{"/a/1": "GET /a/{id}", "/b": "GET /"} {
		if got := wire.Route(mux, httptest.NewRequest(http.MethodGet, path, nil)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
