package digitalocean

import (
	"net/http"
	"slices"
)

// list: names= and uuids= may be repeated; a name matches whole and
// with its case (guess).
func (bs *LoadBalancers) list(r *http.Request) (reply, error) {
	query := r.URL.Query()
	names, ids := query["names"], query["uuids"]
	if len(names) > 0 && len(ids) > 0 {
		return reply{}, unprocessable("names and uuids can't be combined")
	}
	matches := []*balancer{}
	for _, b := range bs.all {
		if (len(names) == 0 || slices.Contains(names, b.Name)) && (len(ids) == 0 || slices.Contains(ids, b.ID)) {
			matches = append(matches, b)
		}
	}
	p := pageOf(r)
	start, end := p.Bounds(len(matches))
	views := make([]Balancer, 0, end-start)
	for _, b := range matches[start:end] {
		views = append(views, b.view())
	}
	body := map[string]any{"load_balancers": views, "links": linksOf(p, r, len(matches)), "meta": meta{len(matches)}}
	return reply{body: body}, nil
}

func (bs *LoadBalancers) get(r *http.Request) (reply, error) {
	b := bs.find(r.PathValue("id"))
	if b == nil {
		return reply{}, notFound()
	}
	return reply{body: map[string]any{"load_balancer": b.view()}}, nil
}

// remove answers 204 in any status, and 404 the second time.
func (bs *LoadBalancers) remove(r *http.Request) (reply, error) {
	if !bs.drop(r.PathValue("id")) {
		return reply{}, notFound()
	}
	return noContent(), nil
}

func (bs *LoadBalancers) drop(id string) bool {
	b := bs.find(id)
	if b == nil {
		return false
	}
	if b.timer != nil {
		b.timer.Stop()
	}
	bs.all = without(bs.all, b)
	return true
}
