package cluster

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

const (
	// EchoImage is an image that every node has: it answers HTTP and datagrams on port 8080 with
	// {"pod": $POD_NAME, "node": $NODE_NAME, "client": address}.
	EchoImage = "multicloud-ccm.test/echo:1"
	// pauseImage holds the namespaces of a pod.
	pauseImage = "multicloud-ccm.test/pause:1"
)

// LoadImage gives all nodes an image under a name such as "example.com/ccm:dev". The path is
// that of an OCI layout, of which the image for this machine's platform is taken, or of an
// archive as `docker save` makes it. Pods need imagePullPolicy Never or IfNotPresent, and a
// tag other than latest.
func (c *Cluster) LoadImage(ctx context.Context, name, path string) error {
	for _, n := range c.nodes {
		if err := n.loadImage(ctx, name, path); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) loadImage(ctx context.Context, reference, path string) error {
	tag, err := name.NewTag(reference)
	if err != nil {
		return fmt.Errorf("loading an image: %w", err)
	}
	image, err := readImage(path)
	if err != nil {
		return fmt.Errorf("loading image %s: %w", reference, err)
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(tarball.Write(tag, image, writer)) }()
	_, err = n.ns.run(ctx, reader, "ctr", "--namespace", "k8s.io", "images", "import", "--snapshotter", snapshotter(n.dir), "-")
	_ = reader.Close() // where ctr has ended early, the archive must not wait for it
	if err != nil {
		return fmt.Errorf("loading image %s: %w", reference, err)
	}
	return nil
}

func readImage(path string) (v1.Image, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return tarball.ImageFromPath(path, nil)
	}
	index, err := layout.ImageIndexFromPath(path)
	if err != nil {
		return nil, err
	}
	image, err := findImage(index)
	if err == nil && image == nil {
		err = fmt.Errorf("%s has no image for linux/%s", path, runtime.GOARCH)
	}
	return image, err
}

// findImage returns the image for this machine, of an index in the index where that has
// none; nil when there is none at all.
func findImage(index v1.ImageIndex) (v1.Image, error) {
	images, err := partial.FindImages(index, forThisMachine)
	if err != nil {
		return nil, err
	}
	if len(images) > 0 {
		return images[0], nil
	}
	nested, err := partial.FindIndexes(index, func(d v1.Descriptor) bool { return d.MediaType.IsIndex() })
	for _, inner := range nested {
		if image, err := findImage(inner); image != nil || err != nil {
			return image, err
		}
	}
	return nil, err
}

func forThisMachine(d v1.Descriptor) bool {
	return d.MediaType.IsImage() && (d.Platform == nil || d.Platform.Satisfies(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
}

// images are what every node has from the start: paths of archives by name.
func (c *Cluster) images() map[string]string {
	return map[string]string{
		pauseImage: filepath.Join(c.imageDir(), "pause.tar"),
		EchoImage:  filepath.Join(c.imageDir(), "echo.tar"),
	}
}

// buildImages builds the programs of this package and an image of each.
func (c *Cluster) buildImages(ctx context.Context) error {
	for reference, archive := range c.images() {
		program := archive[:len(archive)-len(".tar")]
		if err := buildProgram(ctx, program); err != nil {
			return err
		}
		if err := writeImage(reference, program, archive); err != nil {
			return fmt.Errorf("making image %s: %w", reference, err)
		}
	}
	return nil
}

// pausePath is the program that holds namespaces.
func (c *Cluster) pausePath() string { return filepath.Join(c.imageDir(), "pause") }

// buildProgram compiles the program of this package whose name is the base of the path.
func buildProgram(ctx context.Context, path string) error {
	root, err := ccm.Root()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./cluster/"+filepath.Base(path))
	cmd.Dir = filepath.Join(root, "test")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+runtime.GOARCH)
	_, err = output(cmd, nil, cmd.Args)
	return err
}

// writeImage writes an image whose only file is the program, as an archive.
func writeImage(reference, program, archive string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var files bytes.Buffer
	writer := tar.NewWriter(&files)
	header := &tar.Header{Name: filepath.Base(program), Mode: 0o755, Size: int64(len(content))}
	if err := writer.WriteHeader(header); err != nil {
		return err
	}
	if _, err := writer.Write(content); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return WriteImage(archive, reference, files.Bytes(), v1.Config{Entrypoint: []string{"/" + filepath.Base(program)}})
}

// WriteImage writes an image as an archive that [Cluster.LoadImage] reads. Its files are a tar archive of their own.
func WriteImage(archive, reference string, files []byte, config v1.Config) error {
	tag, err := name.NewTag(reference)
	if err != nil {
		return err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil }
	layer, err := tarball.LayerFromOpener(opener, tarball.WithCompressedCaching)
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return err
	}
	file.OS, file.Architecture, file.Config = "linux", runtime.GOARCH, config
	if image, err = mutate.ConfigFile(image, file); err != nil {
		return err
	}
	return tarball.WriteToFile(archive, tag, image)
}
