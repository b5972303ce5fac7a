// Package publish keeps results that the documentation publishes: a file with all of them, and a page that is made of it. Both are named
// by their paths below the top of the repository.
package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// Files are where results of a kind are.
type Files[T any] struct {
	Data, Page string
	// Render makes the page.
	Render func([]T) []byte
}

// Read returns the results that were published, none where there is no file yet.
func (f Files[T]) Read(root string) (all []T, err error) {
	data, err := os.ReadFile(filepath.Join(root, f.Data))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the published results in %s: %w", f.Data, err)
	}
	return all, nil
}

// Write publishes results in the place of all others.
func (f Files[T]) Write(root string, all []T) error {
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the results: %w", err)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(root, f.Data), append(data, '\n'), 0o644),
		os.WriteFile(filepath.Join(root, f.Page), f.Render(all), 0o644),
	)
}

// Test fails a test unless there are results, and the page is theirs. With an update it is written anew first. It returns the results and the
// top of the repository.
func (f Files[T]) Test(t *testing.T, update bool) (root string, all []T) {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	all, err = f.Read(root)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d published results: %v", len(all), err)
	}
	if update {
		if err := f.Write(root, all); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(filepath.Join(root, f.Page))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(f.Render(all)), string(have)); diff != "" {
		t.Errorf("%s (-of the results +there), write it with `go test -update`:\n%s", f.Page, diff)
	}
	return root, all
}
