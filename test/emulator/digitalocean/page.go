package digitalocean

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// Page sizes of every list, from the API description.
const (
	defaultPerPage = 20
	maxPerPage     = 200
)

// pageOf reads page and per_page. A page size over 200 counts as 200; what is
// no positive number counts as absent (guess).
func pageOf(r *http.Request) wire.Page { return wire.PageOf(r, defaultPerPage, maxPerPage) }

type meta struct {
	Total int `json:"total"`
}

type links struct {
	Pages *pageLinks `json:"pages,omitempty"`
}

type pageLinks struct {
	First string `json:"first,omitempty"`
	Prev  string `json:"prev,omitempty"`
	Next  string `json:"next,omitempty"`
	Last  string `json:"last,omitempty"`
}

// linksOf returns absolute URLs of the neighbours that exist; none for a single page.
func linksOf(p wire.Page, r *http.Request, total int) links {
	last := p.Last(total)
	if last <= 1 {
		return links{}
	}
	at := func(n int) string {
		query := r.URL.Query()
		query.Set("page", strconv.Itoa(n))
		query.Set("per_page", strconv.Itoa(p.Size))
		return (&url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawQuery: query.Encode()}).String()
	}
	pages := &pageLinks{}
	if p.Number > 1 {
		pages.First, pages.Prev = at(1), at(min(p.Number-1, last))
	}
	if p.Number < last {
		pages.Next, pages.Last = at(p.Number+1), at(last)
	}
	return links{Pages: pages}
}

// paged answers a list under name, cut to the page the request asks for.
func paged[T any](r *http.Request, name string, all []T) reply {
	p := pageOf(r)
	start, end := p.Bounds(len(all))
	part := append([]T{}, all[start:end]...) // never null
	return reply{body: map[string]any{name: part, "links": linksOf(p, r, len(all)), "meta": meta{len(all)}}}
}
