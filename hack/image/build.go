package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// options are what the binaries cannot say of themselves. All are required.
type options struct {
	repository string // without tag
	version    string
	commit     string
	created    string // RFC 3339
}

// built is an image for one or several platforms, not written yet.
type built struct {
	tag      name.Tag
	created  time.Time
	binaries []binary
	images   []v1.Image // in the order of binaries
	index    v1.ImageIndex
}

// build makes the image of the binaries. Equal input gives equal digests: every time is
// options.created and every order is fixed.
func build(dockerfile io.Reader, binaries []binary, o options) (*built, error) {
	created, err := time.Parse(time.RFC3339, o.created)
	if err != nil {
		return nil, fmt.Errorf("reading -created: %w", err)
	}
	tag, err := name.NewTag(o.repository+":"+tagName(o.version, binaries[0].variant()), name.StrictValidation)
	if err != nil {
		return nil, fmt.Errorf("naming the image: %w", err)
	}
	config, err := configOf(dockerfile, arguments{"VERSION": o.version, "COMMIT": o.commit, "BUILD_DATE": o.created})
	if err != nil {
		return nil, err
	}
	b := &built{tag: tag, created: created, binaries: binaries}
	b.index = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, bin := range binaries {
		image, err := platformImage(bin, config, created)
		if err != nil {
			return nil, fmt.Errorf("building the image for %s: %w", bin.platform(), err)
		}
		platform := bin.platform()
		b.images = append(b.images, image)
		b.index = mutate.AppendManifests(b.index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	return b, nil
}

// tagName is the version alone for the image with every provider.
func tagName(version, variant string) string {
	return strings.TrimSuffix(version+"-"+variant, "-all")
}

func platformImage(bin binary, config v1.Config, created time.Time) (v1.Image, error) {
	content, err := layerTar(rootfs(bin.content, created))
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: bin.platform().OS, Architecture: bin.platform().Architecture,
		Created: v1.Time{Time: created}, Config: config, RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, err
	}
	return mutate.Append(image, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: v1.Time{Time: created}, CreatedBy: "COPY --from=" + rootfsStage + " " + rootfsDir + " /"},
	})
}
