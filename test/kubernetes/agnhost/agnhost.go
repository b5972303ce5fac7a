// Package agnhost builds the image that Kubernetes' end-to-end tests run in pods, without a registry: the program
// from the module that has the tests, and the tools that they call in its pods from this machine.
package agnhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

const program = "k8s.io/kubernetes/test/images/agnhost"

// Image is an archive for [cluster.Cluster.LoadImage].
type Image struct {
	Name string // which the tests pull
	Path string
}

// Build writes the image into dir, for the tests of the Kubernetes that the module in a folder pins. progress
// receives a line now and then.
func Build(ctx context.Context, dir, module string, progress io.Writer) (Image, error) {
	if err := Missing(); err != nil {
		return Image{}, fmt.Errorf("making the image agnhost: %w", err)
	}
	binary := filepath.Join(dir, "agnhost")
	if err := controlplane.BuildModule(ctx, module, program, binary, progress); err != nil {
		return Image{}, err
	}
	image, err := pack(ctx, dir, module, binary)
	if err != nil {
		return Image{}, fmt.Errorf("making the image agnhost: %w", err)
	}
	return image, nil
}

func pack(ctx context.Context, dir, module, binary string) (Image, error) {
	name, err := imageName(ctx, module)
	if err != nil {
		return Image{}, err
	}
	files, err := contents(ctx, binary)
	if err != nil {
		return Image{}, err
	}
	image := Image{Name: name, Path: filepath.Join(dir, "agnhost.tar")}
	return image, image.write(files)
}

// write makes the archive. It appears under its name only when it is complete.
func (i Image) write(files []file) error {
	archive, err := archive(files)
	if err != nil {
		return err
	}
	config := v1.Config{Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"}}
	partial := i.Path + ".partial"
	if err := cluster.WriteImage(partial, i.Name, archive, config); err != nil {
		return err
	}
	return os.Rename(partial, i.Path)
}

// imageName is the name in the source of the Kubernetes that the module pins.
func imageName(ctx context.Context, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOWORK=off")
	source, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("finding the source of Kubernetes: %w", err)
	}
	manifest, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(source)), "test/utils/image/manifest.go"))
	if err != nil {
		return "", fmt.Errorf("reading the names of the images: %w", err)
	}
	return nameIn(string(manifest))
}

var (
	registryLine = regexp.MustCompile(`(?m)^\s*PromoterE2eRegistry:\s*"(.+)",$`)
	imageLine    = regexp.MustCompile(`(?m)^\s*configs\[Agnhost\] = Config\{list\.PromoterE2eRegistry, "(.+)", "(.+)"\}$`)
)

// nameIn finds the image of agnhost in the Go source that lists all images.
func nameIn(manifest string) (string, error) {
	registry, image := registryLine.FindStringSubmatch(manifest), imageLine.FindStringSubmatch(manifest)
	if registry == nil || image == nil {
		return "", errors.New("this Kubernetes names its images in another way: its source does not say which one is agnhost")
	}
	return registry[1] + "/" + image[1] + ":" + image[2], nil
}
