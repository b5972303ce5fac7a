package upstream_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

var update = flag.Bool("update", false, "write what was counted into the documentation")

// Pages of the documentation have what was counted between these lines.
const (
	firstPage  = "docs/index.md"
	comparison = "docs/explanation/comparison.md"

	begin = "<!-- Written by `make upstream-aws` from what it counts. Do not edit. -->\n\n"
	end   = "\n<!-- End of what is counted. -->\n"
)

// check compares the table with that of a page, or writes it there.
func check(t *testing.T, page, table string) {
	t.Helper()
	root, err := ccm.Root()
	must(t, err)
	path := filepath.Join(root, page)
	text, err := os.ReadFile(path)
	must(t, err)
	before, rest, began := strings.Cut(string(text), begin)
	have, after, ended := strings.Cut(rest, end)
	switch {
	case !began || !ended:
		t.Fatalf("%s lacks the lines %q and %q", page, strings.TrimSpace(begin), strings.TrimSpace(end))
	case *update && !t.Failed():
		must(t, os.WriteFile(path, []byte(before+begin+table+end+after), 0o644))
	case have != table:
		t.Errorf("%s has\n%s\nand this was counted:\n%s\n(make upstream-aws TEST_FLAGS=-update)", page, have, table)
	}
}
