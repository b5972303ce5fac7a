package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
)

// The Dockerfile copies what `image rootfs` writes, `image build` packs a layer: every
// entry of the layer must be there as a file of the same mode, time and content.
func TestDockerCopiesWhatTheLayerHolds(t *testing.T) {
	image := buildFake(t, fake("linux", "amd64", ""))
	dir := t.TempDir()
	source := filepath.Join(t.TempDir(), "ccm")
	if err := os.WriteFile(source, image.binaries[0].content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"rootfs", "-binary", source, "-created", "2026-01-02T03:04:05Z", "-out", dir}, nil); err != nil {
		t.Fatal(err)
	}
	files := 0
	for header, content := range layerEntries(t, image.images[0]) {
		path := filepath.Join(dir, header.Name)
		info, err := os.Stat(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if want := header.FileInfo(); info.Mode() != want.Mode() || !info.ModTime().Equal(want.ModTime()) {
			t.Errorf("%s is %v %v, in the layer %v %v", header.Name, info.Mode(), info.ModTime(), want.Mode(), want.ModTime())
		}
		if info.IsDir() {
			continue
		}
		files++
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s differs from the layer: %v", header.Name, err)
		}
	}
	if got := len(tree(t, dir)); got != files {
		t.Errorf("%d files for Docker, %d in the layer", got, files)
	}
}

func TestCertificatesAreAuthorities(t *testing.T) {
	count := 0
	for rest := certificates(); len(rest) > 0; count++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			t.Fatal("something that is not PEM among the certificates")
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		// Roots older than the extension (version 1) are authorities by being here.
		if !certificate.IsCA && certificate.Version >= 3 {
			t.Errorf("%s is no authority", certificate.Subject)
		}
	}
	if count < 50 {
		t.Errorf("%d certificates; Mozilla has more than a hundred", count)
	}
}
