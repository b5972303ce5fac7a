package main

import (
	"archive/tar"
	"errors"
	"io"
	"testing"
)

// entries yields the entries of a tar archive with their content.
func entries(t *testing.T, archive io.Reader) func(yield func(*tar.Header, []byte) bool) {
	t.Helper()
	return func(yield func(*tar.Header, []byte) bool) {
		r := tar.NewReader(archive)
		for {
			header, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(header, content) {
				return
			}
		}
	}
}
