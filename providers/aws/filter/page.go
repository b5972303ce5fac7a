package filter

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// All reads a list. ask makes the request for the page that a token or marker names, nil for the first one, and list
// takes from its answer the items and what names the page after it.
func All[Answer, Item any](ask func(page *string) (*Answer, error), list func(*Answer) ([]Item, *string)) ([]Item, error) {
	return cloud.Pages(func(next string) ([]Item, string, error) {
		var page *string
		if next != "" {
			page = &next
		}
		answer, err := ask(page)
		if err != nil {
			return nil, "", err
		}
		items, after := list(answer)
		return items, aws.ToString(after), nil
	})
}
