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

// Pages reads all pages. An error of any page is an error of the whole.
func Pages[T any](read func(hcloud.ListOpts) ([]T, *hcloud.Response, error)) (cloud.Listing[T], error) {
	return cloud.NumberedPages(func(page int) (p cloud.NumberedPage[T], err error) {
		items, response, err := read(hcloud.ListOpts{Page: page, PerPage: MaxPage})
		if err != nil {
			return p, err
		}
		said := response.Meta.Pagination
		if said == nil {
			// The client makes an empty list of any answer; the API always says how many pages there are.
			return p, cloud.ErrIncomplete
		}
		return cloud.NumberedPage[T]{Items: items, Total: said.TotalEntries, Last: said.NextPage == 0}, nil
	})
}
