package inspect

import (
	"strings"
	"testing"
)

// Values come from objects that anybody may have written: they reach no terminal as control
// sequences, and make no lines of their own.
func TestExplanationText(t *testing.T) {
	e := Explanation{Version: 1, Subject: "Service shop/web"}
	s := e.section("Annotations")
	s.add("a", "\x1b[2J", "counts\nas")
	s.problem("b", "", "want c")
	var out strings.Builder
	if err := e.Text(&out); err != nil {
		t.Fatal(err)
	}
	const want = "Service shop/web\n\nAnnotations\n  a  \"\\x1b[2J\"  (\"counts\\nas\")\n! b  \"\"         (want c)\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}
