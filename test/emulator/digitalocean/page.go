package digitalocean

import (
	"net/http"
	"net/url"
	"strconv"
)

// Page sizes of every list, from the API description.
const (
	defaultPerPage = 20
	maxPerPage     = 200
)

// page is the part of a list that a request asks for.
type page struct{ number, size int }

// pageOf reads page and per_page. A page size over 200 counts as 200; what is
// no positive number counts as absent (guess).
func pageOf(r *http.Request) page {
	query := r.URL.Query()
	return page{
		number: positive(query.Get("page"), 1),
		size:   min(positive(query.Get("per_page"), defaultPerPage), maxPerPage),
	}
}

func positive(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}

// bounds returns the half-open range of the page in a list of total elements.
func (p page) bounds(total int) (int, int) {
	if p.number > total/p.size+1 {
		return total, total
	}
	start := min((p.number-1)*p.size, total)
	return start, min(start+p.size, total)
}

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

// links are absolute URLs of the neighbours that exist; none for a single page.
func (p page) links(r *http.Request, total int) links {
	last := (total + p.size - 1) / p.size
	if last <= 1 {
		return links{}
	}
	at := func(n int) string {
		query := r.URL.Query()
		query.Set("page", strconv.Itoa(n))
		query.Set("per_page", strconv.Itoa(p.size))
		return (&url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawQuery: query.Encode()}).String()
	}
	pages := &pageLinks{}
	if p.number > 1 {
		pages.First, pages.Prev = at(1), at(min(p.number-1, last))
	}
	if p.number < last {
		pages.Next, pages.Last = at(p.number+1), at(last)
	}
	return links{Pages: pages}
}

// paged answers a list under name, cut to the page the request asks for.
func paged[T any](r *http.Request, name string, all []T) reply {
	p := pageOf(r)
	start, end := p.bounds(len(all))
	part := append([]T{}, all[start:end]...) // never null
	return reply{body: map[string]any{name: part, "links": p.links(r, len(all)), "meta": meta{len(all)}}}
}
