package layout_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// Lines wrap between words, and long lists after their commas. What has neither is longer than the page.
func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		width             int
		first, rest, text string
		want              string
	}{
		{0, "  ", "    ", "as  long as it is", "  as  long as it is\n"},
		{12, "", "", "", "\n"},
		{12, "- ", "  ", "one two three", "- one two\n  three\n"},
		{12, "- ", "  ", "one two th", "- one two th\n"},
		{12, "", "", "a  b cccccccc  dd", "a  b\ncccccccc  dd\n"},
		{12, "", "  ", "tags: key=1,key=2,k=3 x", "tags: key=1,\n  key=2,k=3\n  x\n"},
		{12, "", "  ", "see https://example.com/#a now", "see\n  https://example.com/#a\n  now\n"},
		{12, "\x1b[31m! \x1b[0m", "  ", "one two three", "\x1b[31m! \x1b[0mone two\n  three\n"},
		{6, "", "", "über äöü", "über\näöü\n"},
	} {
		if got := (layout.Page{Width: tt.width}).Wrap(tt.first, tt.rest, tt.text); got != tt.want {
			t.Errorf("%q at %d:\ngot  %q\nwant %q", tt.text, tt.width, got, tt.want)
		}
	}
}

func rows() []layout.Row {
	return []layout.Row{
		{Name: "id", Values: []string{"lb-1"}},
		{Name: "whose", Values: []string{"ours"}, Why: "by its tags"},
		{Name: "interval", Values: []string{"5"}, Why: "the default"},
		{Name: "odd", Values: []string{"x"}, Text: "ignored: want a number", Problem: true},
		{Name: "timeout", Values: []string{"3"}, Why: "the default"},
		{Name: "a", Values: []string{"out"}, Text: "its machine is off", Problem: true},
		{Name: "b", Values: []string{"out"}, Text: "its machine is off", Problem: true},
	}
}

// Rows are in columns where they fit, else beside their names, else below them. Problems come first, and a text that several
// rows have stands once.
func TestRows(t *testing.T) {
	for width, want := range map[int]string{
		0: `! its machine is off:
!   a  out
!   b  out
! odd    x  ignored: want a number
  id     lb-1
  whose  ours  (by its tags)
  the default:
    interval  5
    timeout   3
`,
		30: `! its machine is off:
!   a  out
!   b  out
! odd    x  ignored: want a
         number
  id     lb-1
  whose  ours  (by its tags)
  the default:
    interval  5
    timeout   3
`,
		16: `! its machine is
  off:
!   a  out
!   b  out
! odd
      x
      ignored:
      want a
      number
  id
      lb-1
  whose
      ours  (by
      its tags)
  the default:
    interval  5
    timeout   3
`,
	} {
		if diff := cmp.Diff(want, layout.Page{Width: width}.Rows(rows())); diff != "" {
			t.Errorf("width %d (-want +got):\n%s", width, diff)
		}
	}
}

func TestProblemsOnly(t *testing.T) {
	page := layout.Page{Width: 80, ProblemsOnly: true}
	got := page.Rows(rows())
	if strings.Count(got, "\n") != 4 || strings.Contains(got, "whose") {
		t.Errorf("got\n%s", got)
	}
	if got := page.Rows(rows()[:2]); got != "" {
		t.Errorf("without problems %q", got)
	}
}

// A colour changes neither what is said nor where it wraps.
func TestColour(t *testing.T) {
	for _, width := range []int{0, 16, 30} {
		got := layout.Page{Width: width, Colour: true}.Rows(rows())
		if !strings.Contains(got, "\x1b[31m! odd\x1b[0m") {
			t.Errorf("the problem is not red: %q", got)
		}
		plain := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(got)
		if diff := cmp.Diff(layout.Page{Width: width}.Rows(rows()), plain); diff != "" {
			t.Errorf("width %d (-plain +coloured):\n%s", width, diff)
		}
	}
}
