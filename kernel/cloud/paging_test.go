package cloud_test

import (
	"strconv"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestPagingEndsEveryList(t *testing.T) {
	for name, test := range map[string]struct {
		items int
		next  func(page int) string
		pages int // at which it ends
	}{
		"the same page again": {200, func(int) string { return "a" }, 2},
		"two pages in turn":   {10, func(page int) string { return strconv.Itoa(page % 2) }, cloud.MaxListPages},
		"empty pages":         {0, strconv.Itoa, cloud.MaxListPages},
		"numbered pages":      {1, func(int) string { return "" }, cloud.MaxListPages},
		"full pages":          {1000, strconv.Itoa, cloud.MaxListItems/1000 + 1},
	} {
		var paging cloud.Paging
		page := 1
		for ; paging.Page(test.items, test.next(page)) == nil; page++ {
		}
		if page != test.pages {
			t.Errorf("%s: ended at page %d, want %d", name, page, test.pages)
		}
	}
}

func TestPagingFailsAsUnreadable(t *testing.T) {
	var paging cloud.Paging
	if err := paging.Page(cloud.MaxListItems, "next"); err != nil {
		t.Errorf("a list of %d: %v", cloud.MaxListItems, err)
	}
	if err := paging.Page(1, "other"); !cloud.IsClass(err, cloud.FailureUnreadable) {
		t.Errorf("error %v has class %q", err, cloud.FailureOf(err).Class)
	}
}
