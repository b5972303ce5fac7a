package main

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// write writes <dir>/<variant> (an OCI layout), <variant>.tar (the same for `docker load`
// and `ctr images import`) and <variant>.spdx.json.
func (b *built) write(dir string) error {
	path := filepath.Join(dir, b.binaries[0].variant())
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("clearing the last image: %w", err)
	}
	if err := b.writeLayout(path); err != nil {
		return fmt.Errorf("writing the OCI layout: %w", err)
	}
	if err := writeFile(path+".tar", func(w io.Writer) error { return b.writeArchive(w, os.DirFS(path)) }); err != nil {
		return fmt.Errorf("writing the archive: %w", err)
	}
	if err := writeFile(path+".spdx.json", b.writeSBOM); err != nil {
		return fmt.Errorf("writing the SBOM: %w", err)
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	return f.Close()
}

func (b *built) writeLayout(path string) error {
	named := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: b.index, Descriptor: v1.Descriptor{
		Annotations: map[string]string{
			"io.containerd.image.name":          b.tag.Name(), // what containerd calls it after an import
			"org.opencontainers.image.ref.name": b.tag.TagStr(),
		},
	}})
	_, err := layout.Write(path, named)
	return err
}

// writeArchive packs the layout. Docker's classic store reads manifest.json instead of
// index.json; it knows one platform per name, so that file is there for one platform only.
func (b *built) writeArchive(w io.Writer, files fs.FS) error {
	archive := tar.NewWriter(w)
	if err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return b.addFile(archive, name, content)
	}); err != nil {
		return err
	}
	if len(b.images) == 1 {
		content, err := b.dockerManifest()
		if err != nil {
			return err
		}
		if err := b.addFile(archive, "manifest.json", content); err != nil {
			return err
		}
	}
	return archive.Close()
}

func (b *built) addFile(archive *tar.Writer, name string, content []byte) error {
	header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), ModTime: b.created}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := archive.Write(content)
	return err
}

func (b *built) dockerManifest() ([]byte, error) {
	manifest, err := b.images[0].Manifest()
	if err != nil {
		return nil, err
	}
	described := tarball.Descriptor{Config: blobPath(manifest.Config.Digest), RepoTags: []string{b.tag.Name()}}
	for _, l := range manifest.Layers {
		described.Layers = append(described.Layers, blobPath(l.Digest))
	}
	return json.Marshal(tarball.Manifest{described})
}

func blobPath(digest v1.Hash) string { return "blobs/" + digest.Algorithm + "/" + digest.Hex }

// report prints the name, the digest, the modules and the compressed size per platform.
func (b *built) report(out io.Writer) error {
	digest, err := b.index.Digest()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "    %s@%s, %d modules\n", b.tag, digest, len(modules(b.binaries)))
	for i, image := range b.images {
		size, err := compressedSize(image)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "    %s: %.1f MB compressed, %.1f MB binary\n", b.binaries[i].platform(), megabytes(size), megabytes(int64(len(b.binaries[i].content))))
	}
	return nil
}

// compressedSize is what a node downloads: configuration and layers.
func compressedSize(image v1.Image) (int64, error) {
	manifest, err := image.Manifest()
	if err != nil {
		return 0, err
	}
	size := manifest.Config.Size
	for _, l := range manifest.Layers {
		size += l.Size
	}
	return size, nil
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
