package cloud

import (
	"fmt"
	"sync"
	"sync/atomic"
)

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

// parallelPages is how many pages of a list are read at once. The rate limit holds all the same: it lets
// each request through in its turn.
const parallelPages = 6

// NumberedPage is one page of a list whose pages have numbers.
type NumberedPage[T any] struct {
	Items []T
	// Total is how many items all pages have, 0 when that is not known.
	Total int
	// Last says that no other page follows.
	Last bool
}

// Listing is a list that was read page by page.
type Listing[T any] struct {
	Items []T
	// Complete is false when there is less than the cloud counted: objects move between pages while they are read.
	Complete bool
}

// Whole returns the items of a list that has to be complete, where one that is missing would count as gone. Else it is
// [ErrIncomplete].
func Whole[T any](list Listing[T], err error) ([]T, error) {
	if err == nil && !list.Complete {
		err = ErrIncomplete
	}
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// NumberedPages reads a list whose pages have numbers, beginning with 1. When the first page says how many items there
// are, the other pages are read side by side, so read must be safe for concurrent use; a list that has grown
// meanwhile is read to its end. An error of any page is one of the whole list, and a page without a list is
// [ErrIncomplete].
func NumberedPages[T any](read func(page int) (NumberedPage[T], error)) (Listing[T], error) {
	pages, err := countedPages(read)
	if err != nil {
		return Listing[T]{}, err
	}
	var paging Paging
	var list Listing[T]
	size, total := len(pages[0].Items), 0
	for n := 0; ; n++ {
		if n == len(pages) {
			pages = append(pages, NumberedPage[T]{})
			if err := readPage(pages, n+1, read); err != nil {
				return Listing[T]{}, err
			}
		}
		page := pages[n]
		pages[n].Items = nil
		total, list.Items = max(total, page.Total), append(list.Items, page.Items...)
		if page.Last {
			list.Complete = len(list.Items) >= total
			return list, nil
		}
		if err := paging.Page(len(page.Items), ""); err != nil {
			return Listing[T]{}, err
		}
		if got := len(list.Items); total > 0 && got > 2*total+size {
			return Listing[T]{}, &Unreadable{Why: fmt.Sprintf("a list of %d items has %d and does not end", total, got)}
		}
	}
}

// countedPages reads the first page, and the others that it says there are.
func countedPages[T any](read func(page int) (NumberedPage[T], error)) ([]NumberedPage[T], error) {
	pages := make([]NumberedPage[T], 1)
	if err := readPage(pages, 1, read); err != nil {
		return nil, err
	}
	size := max(1, len(pages[0].Items))
	known := (pages[0].Total + size - 1) / size
	switch {
	case known > MaxListPages:
		return nil, &Unreadable{Why: fmt.Sprintf("a list has %d pages, more than %d", known, MaxListPages)}
	case pages[0].Last || known < 2:
		return pages, nil
	}
	pages = append(pages, make([]NumberedPage[T], known-1)...)
	return pages, sideBySide(pages, read)
}

// sideBySide reads all pages but the first.
func sideBySide[T any](pages []NumberedPage[T], read func(int) (NumberedPage[T], error)) error {
	var readers sync.WaitGroup
	var next atomic.Int64
	next.Store(1)
	failures := make([]error, parallelPages)
	var failed atomic.Bool
	var panicked atomic.Pointer[any]
	for i := range failures {
		readers.Go(func() {
			defer func() {
				if broken := recover(); broken != nil {
					panicked.Store(&broken)
				}
			}()
			for number := int(next.Add(1)); number <= len(pages) && !failed.Load(); number = int(next.Add(1)) {
				if failures[i] = readPage(pages, number, read); failures[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	readers.Wait()
	if broken := panicked.Load(); broken != nil {
		panic(*broken) // where the kernel contains it
	}
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

func readPage[T any](pages []NumberedPage[T], number int, read func(int) (NumberedPage[T], error)) error {
	page, err := read(number)
	if err == nil && page.Items == nil {
		err = ErrIncomplete
	}
	pages[number-1] = page
	return err
}
