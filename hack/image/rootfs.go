package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing/fstest"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The people of the image. Kubernetes needs the number to see that it is not root
// (runAsNonRoot); the names are for whoever reads `ps`.
const (
	passwd = "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n"
	group  = "root:x:0:\nnonroot:x:65532:\n"
)

// rootfs returns every file of the image. There is no shell, no package manager and no C
// library; all belongs to root and nobody may write.
func rootfs(binary []byte, modified time.Time) fstest.MapFS {
	dir := func() *fstest.MapFile {
		return &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: modified}
	}
	file := func(content []byte, mode fs.FileMode) *fstest.MapFile {
		return &fstest.MapFile{Data: content, Mode: mode, ModTime: modified}
	}
	return fstest.MapFS{
		"cloud-controller-manager":          file(binary, 0o755),
		"etc":                               dir(),
		"etc/group":                         file([]byte(group), 0o644),
		"etc/passwd":                        file([]byte(passwd), 0o644),
		"etc/ssl":                           dir(),
		"etc/ssl/certs":                     dir(),
		"etc/ssl/certs/ca-certificates.crt": file(certificates(), 0o644),
	}
}

// certificates returns Mozilla's root certificates as PEM. They come from a Go module, so
// that go.sum pins them and two machines pack the same ones. A root that Mozilla trusts
// only for certificates issued before some day is left out: PEM cannot say that.
func certificates() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
	}
	return out.Bytes()
}

// layerTar returns the files as the tar archive of a layer. MapFS walks in lexical order
// and knows no owners, so equal files give equal bytes, owned by root.
func layerTar(files fs.FS) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.AddFS(files); err != nil {
		return nil, fmt.Errorf("packing the layer: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("packing the layer: %w", err)
	}
	return out.Bytes(), nil
}

// writeTree writes the files below dir with the modes and times they have in the image,
// whatever the umask is.
func writeTree(dir string, files fs.FS) error {
	if err := os.CopyFS(dir, files); err != nil {
		return fmt.Errorf("writing the files of the image: %w", err)
	}
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, info.Mode().Perm()); err != nil {
			return err
		}
		return os.Chtimes(path, info.ModTime(), info.ModTime())
	})
}
