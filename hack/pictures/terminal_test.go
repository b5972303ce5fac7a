package main

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// A terminal keeps columns and styles, and a program may draw over what it has drawn.
func TestTerminal(t *testing.T) {
	term := newTerminal(20, 3)
	if err := term.write("one  \x1b[32mtwo\x1b[0m\nthree\n\x1b[1A\r\x1b[1mfour <5>\x1b[0m\x1b[K"); err != nil {
		t.Fatal(err)
	}
	want := []row{
		{{0, "one", style{colour: plain}}, {5, "two", style{colour: 3}}},
		{{0, "four <5>", style{colour: plain, bold: true}}},
		nil,
	}
	if got := term.screen(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if text := string(still(themes[0], 20, want, "a & b")); !strings.Contains(text, ">four &lt;5&gt;<") || !strings.Contains(text, ">a &amp; b<") {
		t.Errorf("not escaped: %s", text)
	}
}

// The program's colours are painted, those of an operation on all of its lines.
func TestPaint(t *testing.T) {
	got := paint([]string{
		"$ cloud-controller-manager plan", "Service shop/web", "  ~ update balancer tags:", "      a=b", "  in these steps:", "      c",
		"OK  there", "    + tag=1", "      1. update", "Load balancers", "Text that goes on.",
	})
	want := []string{
		"\x1b[1m$ cloud-controller-manager plan\x1b[0m", "\x1b[1mService shop/web\x1b[0m", "\x1b[33m  ~ update balancer tags:\x1b[0m", "\x1b[33m      a=b\x1b[0m", "  in these steps:", "      c",
		"\x1b[32mOK \x1b[0m there", "\x1b[32m    + tag=1\x1b[0m", "      1. update", "\x1b[1mLoad balancers\x1b[0m", "Text that goes on.",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d: %q, want %q", i, got[i], want[i])
		}
	}
}

func TestShortened(t *testing.T) {
	lines := strings.Split(strings.Repeat("x\n", 50)+"\nend", "\n")
	got := shortened(lines)
	if len(got) != sessionRows || got[len(got)-1] != "end" || got[sessionRows-3] != "⋯ 19 lines more" {
		t.Errorf("%d lines: %q", len(got), got)
	}
	if short := shortened(lines[:sessionRows]); len(short) != sessionRows || short[sessionRows-1] != "x" {
		t.Errorf("a short one: %q", short)
	}
}

func rows(texts ...string) (all []row) {
	for _, text := range texts {
		var r row
		if text != "" {
			r = row{{text: text}}
		}
		all = append(all, r)
	}
	return all
}

// Waits are shortened, and what differs by the clock alone is left out.
func TestShortenWaits(t *testing.T) {
	frames := shortenWaits([]frameAt{
		{5 * time.Second, rows("0 s", "a")}, {6 * time.Second, rows("1 s", "a")}, {7 * time.Second, rows("2 s", "b")},
		{7 * time.Second, rows("2 s", "c")}, {60 * time.Second, rows("55 s", "c")},
	})
	var got []string
	for _, f := range frames[:len(frames)-1] {
		got = append(got, f.at.String()+" "+f.rows[0].text()+f.rows[1].text())
	}
	if want := "0s 0 sa, 2s 2 sb, 2.5s 2 sc, 5s 55 sc"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, ", "), want)
	}
	if end := frames[len(frames)-1].at; end != 5*time.Second+lastWait {
		t.Errorf("it ends after %v", end)
	}
}

// A row is drawn as often as it changes. Without animation the end is shown.
func TestAnimate(t *testing.T) {
	text := string(animate(themes[0], 20, []frameAt{
		{0, rows("head", "old", "")}, {time.Second, rows("head", "new", "last")}, {at: 4 * time.Second},
	}, "title"))
	for _, want := range []string{
		"<g><text x=\"16.0\" y=\"30\" textLength=\"33.7\">head</text></g>",
		"<g class=\"t0-1000 h\"><text", "<g class=\"t1000-4000\"><text",
		"@keyframes t0-1000{0%{visibility:visible}25.00%{visibility:hidden}}",
		"@keyframes t1000-4000{0%{visibility:hidden}25.00%{visibility:visible}}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "<text"); n != 4 {
		t.Errorf("%d rows are drawn, want 4", n)
	}
}
