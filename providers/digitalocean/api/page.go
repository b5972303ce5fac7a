package api

import (
	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// MaxPage is the largest page the API serves.
const MaxPage = 200

// Pages reads all pages. An error of any page is an error of the whole. read is called for several
// pages at once.
func Pages[T any](read func(*godo.ListOptions) ([]T, *godo.Response, error)) (cloud.Listing[T], error) {
	return cloud.NumberedPages(func(page int) (p cloud.NumberedPage[T], err error) {
		// The API answers [] when there is nothing; no list at all is not its answer.
		items, response, err := read(&godo.ListOptions{Page: page, PerPage: MaxPage})
		if err != nil || items == nil {
			return p, err
		}
		p.Items, p.Last = items, response.Links == nil || response.Links.IsLastPage() || len(items) == 0
		if response.Meta != nil {
			p.Total = response.Meta.Total
		}
		return p, nil
	})
}
