package app

import (
	"os"
	"path/filepath"
	"testing"
)

func TestKeepPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doctor.tar.gz")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, os.DevNull: 0o666} {
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := keepPrivate(file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		file.Close()
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}
