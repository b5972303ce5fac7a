package cluster

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
)

func TestImageOfAProgram(t *testing.T) {
	dir := t.TempDir()
	program, archive := filepath.Join(dir, "program"), filepath.Join(dir, "program.tar")
	if err := os.WriteFile(program, []byte("static"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeImage("example.com/program:1", program, archive); err != nil {
		t.Fatal(err)
	}
	image, err := readImage(archive)
	if err != nil {
		t.Fatal(err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if file.OS != "linux" || file.Architecture != runtime.GOARCH || strings.Join(file.Config.Entrypoint, " ") != "/program" {
		t.Errorf("the image is for %s/%s and runs %q", file.OS, file.Architecture, file.Config.Entrypoint)
	}
	if n := len(file.RootFS.DiffIDs); n != 1 {
		t.Errorf("%d layers, want 1", n)
	}
}

// Of a layout, the image for this machine is taken, also when it is in an index of its own,
// as with images for several platforms.
func TestImageOfALayout(t *testing.T) {
	mine, foreign := randomImage(t), randomImage(t)
	platform := func(architecture string) v1.Descriptor {
		return v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}}
	}
	both := mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: foreign, Descriptor: platform("s390x")},
		mutate.IndexAddendum{Add: mine, Descriptor: platform(runtime.GOARCH)})
	for name, index := range map[string]v1.ImageIndex{
		"one image":         mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: mine}),
		"two platforms":     both,
		"an index in index": mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: both}),
	} {
		t.Run(name, func(t *testing.T) {
			path, err := layout.Write(t.TempDir(), index)
			if err != nil {
				t.Fatal(err)
			}
			image, err := readImage(string(path))
			if err != nil {
				t.Fatal(err)
			}
			got, _ := image.Digest()
			if want, _ := mine.Digest(); got != want {
				t.Errorf("got image %s, want %s", got, want)
			}
		})
	}
	path, err := layout.Write(t.TempDir(), mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: foreign, Descriptor: platform("s390x")}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readImage(string(path)); err == nil || !strings.Contains(err.Error(), "no image for linux/"+runtime.GOARCH) {
		t.Errorf("only a foreign platform: %v", err)
	}
}

func randomImage(t *testing.T) v1.Image {
	t.Helper()
	image, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	return image
}
