package digitalocean

import (
	"fmt"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// maxPage is the largest page the API serves.
const maxPage = 200

// listing is the joined answer of all pages.
type listing[T any] struct {
	items []T
	// complete is false when the pages together hold less than the API counted, which
	// happens when objects move between pages while they are read.
	complete bool
}

// pages reads all pages. An error of any page is an error of the whole.
func pages[T any](read func(*godo.ListOptions) ([]T, *godo.Response, error)) (listing[T], error) {
	var all listing[T]
	var paging cloud.Paging
	for page := 1; ; page++ {
		items, resp, err := read(&godo.ListOptions{Page: page, PerPage: maxPage})
		if err != nil {
			return listing[T]{}, err
		}
		if items == nil {
			// The API answers [] when there is nothing; no list at all is not its answer.
			return listing[T]{}, errUnreadable
		}
		all.items = append(all.items, items...)
		if resp.Links == nil || resp.Links.IsLastPage() || len(items) == 0 {
			all.complete = resp.Meta == nil || len(all.items) >= resp.Meta.Total
			return all, nil
		}
		if err := paging.Page(len(items), ""); err != nil {
			return listing[T]{}, err
		}
		if resp.Meta != nil && len(all.items) > resp.Meta.Total+maxPage {
			return listing[T]{}, &cloud.Unreadable{Why: fmt.Sprintf("a list of %d items has %d and does not end", resp.Meta.Total, len(all.items))}
		}
	}
}
