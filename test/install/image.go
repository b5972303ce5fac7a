package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
)

var imageLine = regexp.MustCompile(`(?m)^\s+image: "([^"]+)"$`)

// LoadImage gives all nodes the image that the chart asks for when no value says otherwise,
// as `make image PROVIDERS=...` has built it for the cloud.
func LoadImage(ctx context.Context, c *cluster.Cluster, h *Helm, cloud Cloud) error {
	root, err := ccm.Root()
	if err != nil {
		return err
	}
	provider := cloud.Descriptor().Name
	layout := filepath.Join(root, "dist", "image", provider)
	if _, err := os.Stat(layout); err != nil {
		return fmt.Errorf("finding the image, run `make image PROVIDERS=%s`: %w", provider, err)
	}
	manifest, err := h.Run(ctx, append([]string{"template", Release, h.Chart()}, cloud.Arguments()...)...)
	if err != nil {
		return err
	}
	image := imageLine.FindStringSubmatch(manifest)
	if image == nil {
		return fmt.Errorf("finding the image in what the chart renders:\n%s", manifest)
	}
	return c.LoadImage(ctx, image[1], layout)
}
