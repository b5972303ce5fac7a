package api

import (
	"fmt"

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

// Pages reads all pages. An error of any page is an error of the whole.
func Pages[T any](read func(*godo.ListOptions) ([]T, *godo.Response, error)) (Listing[T], error) {
	var all Listing[T]
	var paging cloud.Paging
	for page := 1; ; page++ {
		items, resp, err := read(&godo.ListOptions{Page: page, PerPage: MaxPage})
		if err != nil {
			return Listing[T]{}, err
		}
		if items == nil {
			// The API answers [] when there is nothing; no list at all is not its answer.
			return Listing[T]{}, cloud.ErrIncomplete
		}
		all.Items = append(all.Items, items...)
		if resp.Links == nil || resp.Links.IsLastPage() || len(items) == 0 {
			all.Complete = resp.Meta == nil || len(all.Items) >= resp.Meta.Total
			return all, nil
		}
		if err := paging.Page(len(items), ""); err != nil {
			return Listing[T]{}, err
		}
		if resp.Meta != nil && len(all.Items) > resp.Meta.Total+MaxPage {
			return Listing[T]{}, &cloud.Unreadable{Why: fmt.Sprintf("a list of %d items has %d and does not end", resp.Meta.Total, len(all.Items))}
		}
	}
}
