package hcloud

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// Page sizes of every list.
const (
	defaultPerPage = 25
	maxPerPage     = 50
)

// listing is what the API can do with the resources of one kind.
type listing[T any] struct {
	// name is the field of the answer: "servers".
	name string
	// order compares by the field that sort names. "id" is the order without sort.
	order map[string]func(a, b T) int
	// nameOf and labelsOf are nil when the kind has no such filter.
	nameOf   func(T) string
	labelsOf func(T) map[string]string
	// filters are further parameters that may be repeated: an element passes that has one of the values.
	filters map[string]func(one T, value string) bool
}

// meta is the paging of a list.
type meta struct {
	Pagination pagination `json:"pagination"`
}

type pagination struct {
	Page         int  `json:"page"`
	PerPage      int  `json:"per_page"`
	PreviousPage *int `json:"previous_page"`
	NextPage     *int `json:"next_page"`
	LastPage     *int `json:"last_page"`
	TotalEntries *int `json:"total_entries"`
}

func paginationOf(p wire.Page, total int) pagination {
	last := max(p.Last(total), 1)
	out := pagination{Page: p.Number, PerPage: p.Size, LastPage: &last, TotalEntries: &total}
	if previous := p.Number - 1; previous >= 1 {
		out.PreviousPage = &previous
	}
	if next := p.Number + 1; next <= last {
		out.NextPage = &next
	}
	return out
}

// answer lists what the call asks for, one page of it, as view shows it.
func (l listing[T]) answer(c *call, all []T, view func(T) any) (reply, error) {
	if err := l.known(c); err != nil {
		return reply{}, err
	}
	matches, err := l.filter(c, all)
	if err != nil {
		return reply{}, err
	}
	if matches, err = l.sort(c, matches); err != nil {
		return reply{}, err
	}
	page := wire.PageOf(c.Request, defaultPerPage, maxPerPage)
	start, end := page.Bounds(len(matches))
	part := make([]any, 0, end-start) // never null
	for _, one := range matches[start:end] {
		part = append(part, view(one))
	}
	return reply{body: map[string]any{l.name: part, "meta": meta{paginationOf(page, len(matches))}}}, nil
}

// known refuses parameters that the list does not have.
func (l listing[T]) known(c *call) error {
	for name, values := range c.URL.Query() {
		ok := name == "sort"
		switch name {
		case "page", "per_page":
			n, err := strconv.Atoi(values[0])
			if ok = err == nil && n > 0 && len(values) == 1; !ok {
				return invalid("common/paging", name, "is no positive number")
			}
		case "name":
			ok = l.nameOf != nil
		case "label_selector":
			ok = l.labelsOf != nil
		}
		if !ok && l.filters[name] == nil {
			return invalid("common/query", name, "is no parameter of this list")
		}
	}
	return nil
}

func (l listing[T]) filter(c *call, all []T) ([]T, error) {
	query := c.URL.Query()
	selector, err := parseSelector(query.Get("label_selector"))
	if err != nil {
		return nil, invalid("common/selector", "label_selector", "%v", err)
	}
	name, named := query.Get("name"), query.Has("name")
	var out []T
	for _, one := range all {
		if named && l.nameOf(one) != name {
			continue
		}
		if !selector.Empty() && !selector.Matches(labels.Set(l.labelsOf(one))) {
			continue
		}
		if l.passes(query, one) {
			out = append(out, one)
		}
	}
	return out, nil
}

func (l listing[T]) passes(query map[string][]string, one T) bool {
	for name, match := range l.filters {
		values, asked := query[name]
		if asked && !slices.ContainsFunc(values, func(value string) bool { return match(one, value) }) {
			return false
		}
	}
	return true
}

// sort orders by all sort parameters, the first before the second.
func (l listing[T]) sort(c *call, all []T) ([]T, error) {
	var compares []func(a, b T) int
	for _, wanted := range c.URL.Query()["sort"] {
		field, direction, _ := strings.Cut(wanted, ":")
		compare := l.order[field]
		if compare == nil || (direction != "" && direction != "asc" && direction != "desc") {
			return nil, invalid("common/sort", "sort", "%q is no field of this list", wanted)
		}
		if direction == "desc" {
			ascending := compare
			compare = func(a, b T) int { return ascending(b, a) }
		}
		compares = append(compares, compare)
	}
	if len(compares) == 0 {
		return all, nil // stores are in the order of ids
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b T) int {
		for _, compare := range compares {
			if n := compare(a, b); n != 0 {
				return n
			}
		}
		return 0
	})
	return all, nil
}

// by makes a comparison of what a function reads.
func by[T any, V cmp.Ordered](read func(T) V) func(a, b T) int {
	return func(a, b T) int { return cmp.Compare(read(a), read(b)) }
}

func byTime[T any](read func(T) time.Time) func(a, b T) int {
	return func(a, b T) int { return read(a).Compare(read(b)) }
}

var errComparison = errors.New("a selector has no < and >")

// parseSelector reads a label selector. Its grammar is that of Kubernetes without < and >.
func parseSelector(text string) (labels.Selector, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, err
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		if r.Operator() == selection.GreaterThan || r.Operator() == selection.LessThan {
			return nil, errComparison
		}
	}
	return selector, nil
}
