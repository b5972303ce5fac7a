package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func files() Files[int] {
	return Files[int]{Data: "data.json", Page: "page.md", Render: func(all []int) []byte { return fmt.Appendln(nil, all) }}
}

func TestResultsAreKeptWithTheirPage(t *testing.T) {
	root := t.TempDir()
	if all, err := files().Read(root); err != nil || len(all) > 0 {
		t.Errorf("before the first one: %v, %v", all, err)
	}
	if err := files().Write(root, []int{3, 4}); err != nil {
		t.Fatal(err)
	}
	if all, err := files().Read(root); err != nil || !slices.Equal(all, []int{3, 4}) {
		t.Errorf("read %v, %v", all, err)
	}
	if page, err := os.ReadFile(filepath.Join(root, "page.md")); err != nil || string(page) != "[3 4]\n" {
		t.Errorf("the page is %q, %v", page, err)
	}
}

func TestBrokenFileIsAnError(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "data.json"), []byte(`["three"]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := files().Read(root); err == nil {
		t.Errorf("read %v", all)
	}
}
