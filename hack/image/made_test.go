package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var made = flag.String("layout", "", "OCI layout that `make image` wrote")

// The real image, taken apart again: its binary runs and says the version of the label.
func TestTheMadeImageRuns(t *testing.T) {
	if *made == "" {
		t.Skip("needs a real image: `make image-test` builds one and hands it over with -layout")
	}
	top, err := layout.ImageIndexFromPath(*made)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(top); err != nil {
		t.Error(err)
	}
	image := imageOfThisPlatform(t, top)
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "cloud-controller-manager")
	for header, content := range layerEntries(t, image) {
		if "/"+header.Name != config.Config.Entrypoint[0] {
			continue
		}
		if err := os.WriteFile(program, content, header.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
		if _, err := buildinfo.Read(bytes.NewReader(content)); err != nil {
			t.Error(err)
		}
	}
	out, err := exec.Command(program, "version", "-o", "json").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var says struct{ Version, Commit, BuildDate string }
	if err := json.Unmarshal(out, &says); err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]string{"version": says.Version, "revision": says.Commit, "created": says.BuildDate} {
		if got := config.Config.Labels["org.opencontainers.image."+label]; got != want {
			t.Errorf("label %s is %q, the binary says %q", label, got, want)
		}
	}
}

func imageOfThisPlatform(t *testing.T, top v1.ImageIndex) v1.Image {
	t.Helper()
	manifest, err := top.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	index, err := top.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	platforms, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range platforms.Manifests {
		if d.Platform.OS == runtime.GOOS && d.Platform.Architecture == runtime.GOARCH {
			image, err := index.Image(d.Digest)
			if err != nil {
				t.Fatal(err)
			}
			return image
		}
	}
	t.Fatalf("no image for %s/%s", runtime.GOOS, runtime.GOARCH)
	return nil
}
