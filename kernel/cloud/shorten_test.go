package cloud

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"abcd", "abcd"},
		{"äöüß", "äöüß"},
		{"abcde", "abcd… (and 1 more characters)"},
		{"äöüßäö", "äöüß… (and 2 more characters)"},
		{"a\xff\xff\xffbc", "a\xff\xff\xff… (and 2 more characters)"},
	} {
		if got := Shorten(test.text, 4); got != test.want {
			t.Errorf("Shorten(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

// However long what a user wrote or a cloud answered is, an error about it fits into an event.
func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("ä", 100_000)
	for name, err := range map[string]error{
		"value":       &Invalid{Field: "annotation", Value: long, Want: "want a number"},
		"want":        &Invalid{Field: "annotation", Value: "1", Want: "want one of " + long},
		"field":       &Invalid{Field: long, Value: "1", Want: "want none"},
		"escaped":     &Invalid{Field: "annotation", Value: strings.Repeat("\x00", 100_000), Want: "want a number"},
		"cloud":       &Error{Op: "creating balancer", Err: errors.New(long)},
		"name":        &Error{Op: "creating balancer", Err: fmt.Errorf("creating balancer %s: %w", long, errors.New("no"))},
		"not the API": &Error{Op: "listing", Err: &Unreadable{Why: "text"}},
	} {
		if n := utf8.RuneCountInString(err.Error()); n > 1000 {
			t.Errorf("%s: %d characters", name, n)
		}
	}
}
