package cloud_test

import (
	"errors"
	"slices"
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

func TestPages(t *testing.T) {
	refused := errors.New("refused")
	for name, test := range map[string]struct {
		pages map[string][]int
		after map[string]string
		want  []int
		err   error
	}{
		"one":                    {pages: map[string][]int{"": {1, 2}}, want: []int{1, 2}},
		"none":                   {pages: map[string][]int{"": {}}, want: []int{}},
		"three":                  {pages: map[string][]int{"": {1}, "b": {}, "c": {3}}, after: map[string]string{"": "b", "b": "c"}, want: []int{1, 3}},
		"no list":                {err: cloud.ErrIncomplete},
		"no list on a next page": {pages: map[string][]int{"": {1}}, after: map[string]string{"": "b"}, err: cloud.ErrIncomplete},
		"refused on a next page": {pages: map[string][]int{"": {1}}, after: map[string]string{"": "bad"}, err: refused},
	} {
		got, err := cloud.Pages(func(next string) ([]int, string, error) {
			if next == "bad" {
				return nil, "", refused
			}
			return test.pages[next], test.after[next], nil
		})
		if !errors.Is(err, test.err) || err == nil && (got == nil || !slices.Equal(got, test.want)) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := cloud.Pages(func(string) ([]int, string, error) { return []int{1}, "same", nil }); !cloud.IsClass(err, cloud.FailureUnreadable) {
		t.Errorf("a list without an end: %v", err)
	}
}
