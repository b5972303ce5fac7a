package api

import (
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// MaxPage is the largest page the API serves.
const MaxPage = 50

// ID reads the id of an object as Hetzner writes it: without sign and leading zeros.
func ID(text string) (id int64, ok bool) {
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && id > 0 && text == strconv.FormatInt(id, 10)
}

// Listing is the joined answer of all pages.
type Listing[T any] struct {
	Items []T
	// Complete is false when the pages together hold less than the API counted, which happens when
	// objects move between pages while they are read.
	Complete bool
}

// Pages reads all pages. An error of any page is an error of the whole.
func Pages[T any](read func(hcloud.ListOpts) ([]T, *hcloud.Response, error)) (Listing[T], error) {
	total := 0
	items, err := cloud.NumberedPages(func(page int) (cloud.NumberedPage[T], error) {
		items, response, err := read(hcloud.ListOpts{Page: page, PerPage: MaxPage})
		if err != nil {
			return cloud.NumberedPage[T]{}, err
		}
		p := response.Meta.Pagination
		if p == nil {
			// The client makes an empty list of any answer; the API always says how many pages there are.
			return cloud.NumberedPage[T]{}, cloud.ErrIncomplete
		}
		if page == 1 { // the others are read side by side
			total = p.TotalEntries
		}
		return cloud.NumberedPage[T]{Items: items, Pages: p.LastPage, Last: p.NextPage == 0}, nil
	})
	return Listing[T]{Items: items, Complete: err == nil && len(items) >= total}, err
}
