package versions

import (
	"flag"
	"io"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the page of the published results")

// The page is that of the published results, none of which is a failure, and all of which are of the same areas.
func TestPage(t *testing.T) {
	_, all := files.Test(t, *update)
	for _, r := range all {
		if r.Failed() {
			t.Errorf("%s: %+v", r.Kubernetes, r.Areas)
		}
		for i, o := range r.Areas {
			if o.Area != all[0].Areas[i].Area {
				t.Errorf("%s: column %d is %s, want %s", r.Kubernetes, i, o.Area, all[0].Areas[i].Area)
			}
		}
	}
}

func TestTestsAreCounted(t *testing.T) {
	const out = `{"Action":"run","Test":"TestA"}
{"Action":"pass","Test":"TestA/part"}
{"Action":"output","Test":"TestA","Output":"hello\n"}
{"Action":"pass","Test":"TestA"}
not JSON
{"Action":"fail","Test":"TestB"}
{"Action":"skip","Test":"TestC"}
{"Action":"fail"}
`
	var said strings.Builder
	got, err := count(strings.NewReader(out), &said)
	if want := (Outcome{Passed: 1, Failed: 1, Skipped: 1}); err != nil || got != want {
		t.Errorf("counted %+v, %v", got, err)
	}
	if said.String() != "hello\nnot JSON\n" {
		t.Errorf("said %q", said.String())
	}
	if _, err := count(io.MultiReader(strings.NewReader(strings.Repeat("x", 2<<20))), io.Discard); err == nil {
		t.Error("a line that is too long is no error")
	}
}

// Nothing that failed is published, and neither is a run without a test.
func TestFailuresAreNotPublished(t *testing.T) {
	for name, o := range map[string]Outcome{"a failure": {Area: "sim", Passed: 3, Failed: 1}, "no test": {Area: "sim", Skipped: 4}} {
		root := t.TempDir()
		if err := Record(root, Result{Kubernetes: "v1.33.1", Areas: []Outcome{o}}); err == nil {
			t.Errorf("%s is published", name)
		}
	}
}
