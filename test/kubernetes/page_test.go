package kubernetes

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

var update = flag.Bool("update", false, "write the page of the published results")

// The page is that of the published results, none of which is a failure, and whose skips are those of the list.
func TestPage(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	all, err := published(root)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d published results: %v", len(all), err)
	}
	if *update {
		if err := Record(root, ccm.Place{}, Options{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(filepath.Join(root, pageFile))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(page(all)), string(have)); diff != "" {
		t.Errorf("%s (-of the results +there), write it with `make e2e-kubernetes RECORD=1` or `go test ./kubernetes -update`:\n%s", pageFile, diff)
	}
	for _, p := range all {
		for _, row := range p.Rows {
			if row.Outcome == Failed || row.Outcome == Skipped && skipped(p.Cloud, Spec{Name: row.Spec}) != row.Reason {
				t.Errorf("%s: %q is %s: %q", p.Cloud, row.Spec, row.Outcome, row.Reason)
			}
		}
	}
}

func TestPageOfTwoClouds(t *testing.T) {
	text := string(page([]Published{
		{Cloud: "a", Rows: []Row{{"works", "v1", Passed, 7, ""}, {"keeps the client", "v1", Skipped, 1, "it ends connections"}}},
		{Cloud: "b", Rows: []Row{{"works", "v1", Skipped, 0, "it ends connections"}}},
	}))
	for _, want := range []string{"| works | passed, 7 s | skipped (1) |", "| keeps the client | skipped (1) | not run |", "1. it ends connections\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "2. ") {
		t.Error("the same reason has two numbers")
	}
}
