package api

import (
	"fmt"
	"sync"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// MaxPage is the largest page the API serves.
const MaxPage = 200

// Listing is the joined answer of all pages.
type Listing[T any] struct {
	Items []T
	// Complete is false when the pages together hold less than the API counted, which
	// happens when objects move between pages while they are read.
	Complete bool
}

// Pages reads all pages. An error of any page is an error of the whole. read is called for several
// pages at once.
func Pages[T any](read func(*godo.ListOptions) ([]T, *godo.Response, error)) (Listing[T], error) {
	var mu sync.Mutex
	total := 0 // the largest number that was said
	items, err := cloud.NumberedPages(func(page int) (p cloud.NumberedPage[T], err error) {
		// The API answers [] when there is nothing; no list at all is not its answer.
		items, resp, err := read(&godo.ListOptions{Page: page, PerPage: MaxPage})
		if err != nil || items == nil {
			return p, err
		}
		p.Items, p.Last = items, resp.Links == nil || resp.Links.IsLastPage() || len(items) == 0
		if resp.Meta == nil {
			return p, nil
		}
		mu.Lock()
		total = max(total, resp.Meta.Total)
		mu.Unlock()
		if len(items) == MaxPage {
			p.Pages = (resp.Meta.Total + MaxPage - 1) / MaxPage
		}
		if page*len(items) > resp.Meta.Total+MaxPage {
			return p, &cloud.Unreadable{Why: fmt.Sprintf("a list of %d items has %d and does not end", resp.Meta.Total, page*len(items))}
		}
		return p, nil
	})
	if err != nil {
		return Listing[T]{}, err
	}
	return Listing[T]{Items: items, Complete: len(items) >= total}, nil
}
