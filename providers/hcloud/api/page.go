package api

import (
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// MaxPage is the largest page the API serves.
const MaxPage = 50

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
	items, err := cloud.Pages(func(next string) ([]T, string, error) {
		page, _ := strconv.Atoi(next) // what it is made of below
		page = max(page, 1)
		items, response, err := read(hcloud.ListOpts{Page: page, PerPage: MaxPage})
		if err != nil {
			return nil, "", err
		}
		p := response.Meta.Pagination
		switch {
		case p == nil:
			// The client makes an empty list of any answer; the API always says how many pages there are.
			return nil, "", cloud.ErrIncomplete
		case p.NextPage != 0 && p.NextPage <= page:
			return nil, "", &cloud.Unreadable{Why: "a list leads back to an earlier page"}
		}
		if total = p.TotalEntries; p.NextPage == 0 {
			return items, "", nil
		}
		return items, strconv.Itoa(p.NextPage), nil
	})
	return Listing[T]{Items: items, Complete: err == nil && len(items) >= total}, err
}
