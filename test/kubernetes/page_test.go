package kubernetes

import (
	"flag"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

var update = flag.Bool("update", false, "write the page of the published results")

// The page is that of the published results, none of which is a failure or beyond its budget, and whose skips are those of the list.
func TestPage(t *testing.T) {
	_, all := files.Test(t, *update)
	ran := map[string][]Spec{}
	for _, p := range all {
		for _, row := range p.Rows {
			spec := Spec{Name: row.Spec}
			ran[p.Cloud] = append(ran[p.Cloud], spec)
			if row.Outcome == Failed || row.Outcome == Skipped && skipped(p.Cloud, spec) != row.Reason {
				t.Errorf("%s: %q is %s: %q", p.Cloud, row.Spec, row.Outcome, row.Reason)
			}
		}
		if err := within(p.Calls, budgets[p.Cloud]); err != nil {
			t.Errorf("%s: %v", p.Cloud, err)
		}
	}
	for _, s := range skips {
		if err := unmatched([]Skip{s}, ran[s.Cloud]); err != nil {
			t.Error(err)
		}
	}
}

func TestPageOfTwoClouds(t *testing.T) {
	text := string(page([]Published{
		{Cloud: "a", Rows: []Row{{"works", "v1", Passed, 7, ""}, {"keeps the client", "v0", Skipped, 1, "it ends connections"}}},
		{Cloud: "sim", Rows: []Row{{"works", "v1", Skipped, 0, "it ends connections"}}, Calls: install.Calls{Writes: 5, Reads: 9}},
	}))
	for _, want := range []string{"| works | passed, 7 s | skipped (1) |", "| keeps the client (v0) | skipped (1) | not run |", "1. it ends connections\n", "| 5, at most "} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "2. ") {
		t.Error("the same reason has two numbers")
	}
}
