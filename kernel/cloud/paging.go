package cloud

import "fmt"

// The longest list that drivers read. Kubernetes supports 5,000 nodes; an account may have many
// more machines.
const (
	MaxListItems = 100_000
	MaxListPages = 1_000
)

// Paging ends a list that has no end. Drivers count every page of a list with it, beginning with
// the zero value.
type Paging struct {
	pages, items int
	next         string
}

// Page counts a page with that many items. next is what names the page after it: a token, a
// marker or "" where pages have numbers or there is no other page. The error is *Unreadable.
func (p *Paging) Page(items int, next string) error {
	p.pages++
	p.items += items
	switch {
	case next != "" && next == p.next:
		return &Unreadable{Why: "a list leads to the same page again"}
	case p.items > MaxListItems:
		return &Unreadable{Why: fmt.Sprintf("a list has more than %d items", MaxListItems)}
	case p.pages >= MaxListPages:
		return &Unreadable{Why: fmt.Sprintf("a list has more than %d pages", MaxListPages)}
	}
	p.next = next
	return nil
}

// Pages reads a list. read returns the items of the page that next names, "" for the first one, and
// what names the page after it, "" where that was the last one. An error of any page is one of the whole
// list. A page without a list, which an empty list is not, is [ErrIncomplete].
func Pages[T any](read func(next string) (items []T, after string, err error)) ([]T, error) {
	all := []T{}
	var paging Paging
	for next := ""; ; {
		items, after, err := read(next)
		if err != nil {
			return nil, err
		}
		if items == nil {
			return nil, ErrIncomplete
		}
		all = append(all, items...)
		if after == "" {
			return all, nil
		}
		if err := paging.Page(len(items), after); err != nil {
			return nil, err
		}
		next = after
	}
}
