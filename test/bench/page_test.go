package bench

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

var update = flag.Bool("update", false, "write the page in the documentation")

// The page in the documentation is what the published results say, and they are all within what is
// promised.
func TestPublished(t *testing.T) {
	root, all := files.Test(t, *update)
	if *update {
		if err := Record(root); err != nil {
			t.Fatal(err)
		}
	}
	first, err := os.ReadFile(filepath.Join(root, firstFile))
	if err != nil {
		t.Fatal(err)
	}
	want, err := summarise(string(first), all)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(first)); diff != "" {
		t.Errorf("%s (-of the results +there), write it with `go test ./bench -update`:\n%s", firstFile, diff)
	}
	for _, m := range all {
		for _, violation := range m.Violations() {
			t.Error(violation)
		}
	}
}

func TestRecordReplaces(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{filepath.Dir(files.Data), filepath.Dir(files.Page)} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, firstFile), []byte("before\n"+summaryBegin+"old\n"+summaryEnd+"after\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	result := func(cloud string, nodes, calls int, load float64) Measured {
		m := Measured{Result: Result{Cloud: cloud, Nodes: nodes, Initialising: 3, PeakMemoryMB: map[string]float64{}}, Place: ccm.Place{CPUs: 2, Load: load}}
		m.Initialise.Calls.Total, m.Initialise.Seconds = calls, 57
		return m
	}
	for _, m := range []Measured{result("sim", 100, 1, 0), result("aws", 1000, 2, 0.9), result("sim", 100, 3, 0.9)} {
		if err := Record(root, m); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(filepath.Join(root, files.Page))
	if err != nil {
		t.Fatal(err)
	}
	text := string(written)
	if !strings.Contains(text, "| initialise: cloud calls | 2 | 3 |\n") {
		t.Errorf("not one column for each cloud and size:\n%s", text)
	}
	if strings.Contains(text, "57.0") || !strings.Contains(text, "There are none yet") {
		t.Errorf("it has times of a busy machine:\n%s", text)
	}
	disturbed := result("gce", 100, 1, 0)
	disturbed.Others = 0.06
	alone := result("gce", 1000, 1, 0)
	if text := string(page([]Measured{disturbed})); strings.Contains(text, "57.0") || !strings.Contains(text, "| 6 % |") {
		t.Errorf("it has times of a machine that others used meanwhile:\n%s", text)
	}
	if text := string(page([]Measured{alone})); !strings.Contains(text, "57.0") {
		t.Errorf("it has no times of a machine that nobody else used:\n%s", text)
	}
	first, err := os.ReadFile(filepath.Join(root, firstFile))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(first); strings.Contains(text, "old") || !strings.Contains(text, "| aws | 2 |") || strings.Contains(text, "| sim |") || !strings.HasSuffix(text, "after\n") {
		t.Errorf("the first page has not the clouds with 1,000 Nodes, between what was there:\n%s", text)
	}
	if _, err := summarise("no such lines", nil); err == nil {
		t.Error("a page without the lines is written")
	}
	slow := result("sim", 5000, 1, 0)
	slow.Initialise.Seconds = 61
	if err := Record(root, slow); err == nil || !strings.Contains(err.Error(), "sim/5000") {
		t.Errorf("a run in which machines were listed again: %v", err)
	}
	lost := result("sim", 100, 1, 0)
	lost.NodesLost = 1
	if err := Record(root, lost); err == nil || !strings.Contains(err.Error(), "sim: 100 nodes") {
		t.Errorf("a run that is not within what is promised: %v", err)
	}
}
