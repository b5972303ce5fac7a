package cloud

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// numbered is a list of pages of one item, the number of the page.
func numbered(said, there int, took time.Duration) (func(int) (NumberedPage[int], error), *atomic.Int64) {
	var reads atomic.Int64
	return func(page int) (NumberedPage[int], error) {
		reads.Add(1)
		time.Sleep(took)
		return NumberedPage[int]{Items: []int{page}, Total: said, Last: page >= there}, nil
	}, &reads
}

func TestNumberedPages(t *testing.T) {
	for name, list := range map[string]struct{ said, there int }{
		"one page": {1, 1}, "as many as it says": {26, 26}, "more than it says": {5, 9}, "fewer than it says": {9, 5}, "does not say": {0, 7},
	} {
		read, reads := numbered(list.said, list.there, 0)
		all, err := NumberedPages(read)
		var want []int
		for page := range list.there {
			want = append(want, page+1)
		}
		if err != nil || !slices.Equal(all.Items, want) || int(reads.Load()) > max(list.said, list.there) {
			t.Errorf("%s: %v, %v after %d reads; want %v", name, all, err, reads.Load(), want)
		}
		whole, err := Whole(all, err)
		if complete := list.there >= list.said; all.Complete != complete || errors.Is(err, ErrIncomplete) == complete || (whole != nil) != complete {
			t.Errorf("%s: complete %t, whole %v, %v", name, all.Complete, whole, err)
		}
	}
}

func TestNumberedPagesAreReadSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, _ := numbered(25, 25, time.Second)
		began := time.Now()
		if _, err := NumberedPages(read); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("25 pages took %v, want 1 s for the first and 4 s for 4 times 6", took)
		}
	})
}

func TestNumberedPagesFailAsAWhole(t *testing.T) {
	broken, unreadable := errors.New("broken"), new(*Unreadable)
	for name, test := range map[string]struct {
		read func(page int) (NumberedPage[int], error)
		is   func(error) bool
	}{
		"first page": {func(int) (NumberedPage[int], error) { return NumberedPage[int]{}, broken }, func(err error) bool { return errors.Is(err, broken) }},
		"any page": {func(page int) (NumberedPage[int], error) {
			if page == 7 {
				return NumberedPage[int]{}, broken
			}
			return NumberedPage[int]{Items: []int{page}, Total: 20, Last: page == 20}, nil
		}, func(err error) bool { return errors.Is(err, broken) }},
		"page without a list": {func(page int) (NumberedPage[int], error) {
			if page == 3 {
				return NumberedPage[int]{}, nil
			}
			return NumberedPage[int]{Items: []int{page}, Total: 3}, nil
		}, func(err error) bool { return errors.Is(err, ErrIncomplete) }},
		"too many pages": {func(int) (NumberedPage[int], error) { return NumberedPage[int]{Items: []int{1}, Total: 1 << 30}, nil }, func(err error) bool { return errors.As(err, unreadable) }},
		"no end":         {func(int) (NumberedPage[int], error) { return NumberedPage[int]{Items: []int{1}}, nil }, func(err error) bool { return errors.As(err, unreadable) }},
		"no end of three": {func(page int) (NumberedPage[int], error) {
			if page > 10 {
				return NumberedPage[int]{}, broken
			}
			return NumberedPage[int]{Items: []int{1}, Total: 3}, nil
		}, func(err error) bool { return errors.As(err, unreadable) }},
	} {
		if all, err := NumberedPages(test.read); !test.is(err) || all.Items != nil {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
}

// A panic of a reader reaches whoever asked for the list, where the kernel contains it.
func TestNumberedPagesPanic(t *testing.T) {
	defer func() {
		if broken := recover(); broken != "bad item" {
			t.Errorf("recovered %v", broken)
		}
	}()
	_, _ = NumberedPages(func(page int) (NumberedPage[int], error) {
		if page == 3 {
			panic("bad item")
		}
		return NumberedPage[int]{Items: []int{page}, Total: 4, Last: page == 4}, nil
	})
	t.Error("it returned")
}
