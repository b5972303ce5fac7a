package cloud

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestShorten(t *testing.T) {
	x, umlauts := strings.Repeat("x", 60), strings.Repeat("ä", 30)
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{x, x},
		{umlauts, umlauts},
		{x + "y", x[:20] + "… (and 41 characters more)"},
		{umlauts + "y", umlauts[:20] + "… (and 21 characters more)"},
		{"y" + umlauts, "y" + umlauts[:18] + "… (and 21 characters more)"},
		{strings.Repeat("\xff", 100), strings.Repeat("\xff", 20) + "… (and 80 characters more)"},
	} {
		if got := Shorten(test.text, 60); got != test.want {
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
		"wide":        &Invalid{Field: "annotation", Value: strings.Repeat("\U000e0001", 100_000), Want: "want a number"},
		"cloud":       &Error{Op: "creating balancer", Err: errors.New(long)},
		"name":        &Error{Op: "creating balancer", Err: fmt.Errorf("creating balancer %s: %w", long, errors.New("no"))},
		"not the API": &Error{Op: "listing", Err: &Unreadable{Why: "text"}},
	} {
		if n := len(err.Error()); n > 1000 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
}
