package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestRepackedArchivesAreTheSameBytes(t *testing.T) {
	const date = "2026-12-01T10:00:00Z"
	var all [][]byte
	for _, built := range []time.Time{time.Unix(1700000000, 7), time.Unix(1800000000, 0)} {
		path := filepath.Join(t.TempDir(), "chart.tgz")
		if err := os.WriteFile(path, archive(t, built), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := runRepack([]string{"-time", date, path}); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, content)
		info, err := os.Stat(path)
		if err != nil || info.ModTime().UTC().Format(time.RFC3339) != date {
			t.Errorf("the archive is of %v (%v), not %s", info.ModTime(), err, date)
		}
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Error("two builds are not the same bytes")
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(all[0]))
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(unzipped)
	header, err := files.Next()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(files)
	if err != nil || string(content) != "name: c" || header.Name != "c/Chart.yaml" || header.Mode != 0o644 || unzipped.Comment != "Helm" {
		t.Errorf("%+v %q (%v)", header, content, err)
	}
}

// archive is a chart as helm packs it at a time.
func archive(t *testing.T, at time.Time) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	zipped.Comment = "Helm"
	files := tar.NewWriter(zipped)
	if err := files.WriteHeader(&tar.Header{Name: "c/Chart.yaml", Mode: 0o644, Size: 7, ModTime: at}); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write([]byte("name: c")); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
