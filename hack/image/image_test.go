package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

const repository = "../.."

var update = flag.Bool("update", false, "rewrite the golden files")

// The description of the image, in the form of its golden file: a change of the Dockerfile
// or of rootfs.go shows here.
type description struct {
	Config v1.Config
	Files  []described
}

type described struct {
	Name     string
	Mode     string
	UID, GID int
	Modified string
}

func TestImageIsWhatTheDockerfileSays(t *testing.T) {
	image := buildFake(t, fake("linux", "amd64", "slim,sim"))
	config, err := image.images[0].ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	got := description{Config: config.Config}
	for header := range layerEntries(t, image.images[0]) {
		got.Files = append(got.Files, described{header.Name, header.FileInfo().Mode().String(), header.Uid, header.Gid, header.ModTime.UTC().String()})
	}
	content, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := "testdata/image.json"
	if *update {
		if err := os.WriteFile(golden, append(content, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(content)+"\n"); diff != "" {
		t.Errorf("the image differs from %s (-update rewrites it): %s", golden, diff)
	}
}

func TestEqualInputGivesEqualBytes(t *testing.T) {
	amd, arm := fake("linux", "amd64", ""), fake("linux", "arm64", "")
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		if err := buildFake(t, amd, arm).write(dir); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(tree(t, first), tree(t, second)); diff != "" {
		t.Errorf("two builds differ: %s", diff)
	}
	changed := amd
	changed.content = []byte("another binary")
	third := t.TempDir()
	if err := buildFake(t, changed, arm).write(third); err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(tree(t, first), tree(t, third)) {
		t.Error("another binary gives the same image")
	}
}

func TestLayoutIsValidAndNamed(t *testing.T) {
	dir := t.TempDir()
	if err := buildFake(t, fake("linux", "amd64", "slim,sim"), fake("linux", "arm64", "slim,sim")).write(dir); err != nil {
		t.Fatal(err)
	}
	index, err := layout.ImageIndexFromPath(filepath.Join(dir, "sim"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := manifest.Manifests[0].Annotations["io.containerd.image.name"], "registry.example/ccm:v1.2.3-sim"; got != want {
		t.Errorf("containerd would call the image %q, want %q", got, want)
	}
	if names := archiveNames(t, filepath.Join(dir, "sim.tar")); slices.Contains(names, "manifest.json") {
		t.Error("an archive with two platforms has a manifest.json, which can name one of them only")
	}
}

func TestDockerLoadsTheArchive(t *testing.T) {
	dir := t.TempDir()
	built := buildFake(t, fake("linux", "amd64", ""))
	if err := built.write(dir); err != nil {
		t.Fatal(err)
	}
	loaded, err := tarball.ImageFromPath(filepath.Join(dir, "all.tar"), &built.tag)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(loaded); err != nil {
		t.Error(err)
	}
	want, err := built.images[0].ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := loaded.ConfigName(); err != nil || got != want {
		t.Errorf("docker's image id is %s, %v; want %s", got, err, want)
	}
}

// buildFake builds from the repository's real Dockerfile.
func buildFake(t *testing.T, binaries ...binary) *built {
	t.Helper()
	dockerfile, err := os.Open(filepath.Join(repository, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	defer dockerfile.Close()
	image, err := build(dockerfile, binaries, options{
		repository: "registry.example/ccm", version: "v1.2.3", commit: "0123456789", created: "2026-01-02T03:04:05Z",
	})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func fake(goos, goarch, tags string) binary {
	return binary{
		path: goarch, content: []byte("binary for " + goarch),
		info: &debug.BuildInfo{
			GoVersion: "go1.26.0",
			Main:      debug.Module{Path: "example.com/ccm"},
			Settings:  []debug.BuildSetting{{Key: "GOOS", Value: goos}, {Key: "GOARCH", Value: goarch}, {Key: "-tags", Value: tags}},
			Deps: []*debug.Module{
				{Path: "example.com/replaced", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.0.1"}},
				{Path: "example.com/alpha", Version: "v0.1.0"},
			},
		},
	}
}

// layerEntries yields the entries of the image's only layer.
func layerEntries(t *testing.T, image v1.Image) func(yield func(*tar.Header, []byte) bool) {
	t.Helper()
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v; want one", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	return entries(t, content)
}

func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func archiveNames(t *testing.T, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for header := range entries(t, bytes.NewReader(content)) {
		names = append(names, strings.TrimPrefix(header.Name, "./"))
	}
	return names
}
