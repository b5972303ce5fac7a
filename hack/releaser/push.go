package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// tagAnnotation is where hack/image writes the tag into a layout.
const tagAnnotation = "org.opencontainers.image.ref.name"

func runPush(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("push", flag.ContinueOnError)
	from := flags.String("from", "", "folder with one OCI layout per image")
	to := flags.String("to", "", "repository to push to, without a tag")
	digests := flags.String("digests", "", "file to write a line \"digest  name\" per image to, in the form of sha256sum")
	if err := flags.Parse(args); err != nil {
		return err
	}
	repository, err := name.NewRepository(*to)
	if err != nil {
		return fmt.Errorf("reading -to: %w", err)
	}
	layouts, err := filepath.Glob(filepath.Join(*from, "*", "index.json"))
	if err != nil || len(layouts) == 0 {
		return errors.Join(fmt.Errorf("there is no image in %q", *from), err)
	}
	list, err := os.Create(*digests)
	if err != nil {
		return fmt.Errorf("opening -digests: %w", err)
	}
	defer list.Close()
	for _, path := range layouts {
		tag, digest, err := pushLayout(ctx, filepath.Dir(path), repository)
		if err != nil {
			return fmt.Errorf("pushing %s: %w", filepath.Dir(path), err)
		}
		fmt.Fprintf(out, "    %s@%s\n", tag, digest)
		if _, err := fmt.Fprintf(list, "%s  %s\n", digest.Hex, tag); err != nil {
			return err
		}
	}
	return list.Close()
}

// pushLayout pushes the one image of a layout, all its platforms, under the tag in the layout.
func pushLayout(ctx context.Context, dir string, repository name.Repository) (name.Tag, v1.Hash, error) {
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return name.Tag{}, v1.Hash{}, err
	}
	manifest, err := outer.IndexManifest()
	if err != nil {
		return name.Tag{}, v1.Hash{}, err
	}
	if len(manifest.Manifests) != 1 {
		return name.Tag{}, v1.Hash{}, fmt.Errorf("the layout has %d images, not one", len(manifest.Manifests))
	}
	found := manifest.Manifests[0]
	tag := repository.Tag(found.Annotations[tagAnnotation])
	index, err := outer.ImageIndex(found.Digest)
	if err != nil {
		return tag, found.Digest, err
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	if err := refuseOther(tag, found.Digest, options); err != nil {
		return tag, found.Digest, err
	}
	return tag, found.Digest, remote.WriteIndex(tag, index, options...)
}

// refuseOther refuses to change what a tag means: what is published once stays.
func refuseOther(tag name.Tag, digest v1.Hash, options []remote.Option) error {
	there, err := remote.Head(tag, options...)
	var refused *transport.Error
	if errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if there.Digest != digest {
		return fmt.Errorf("%s is published already, as %s; a release is never written over", tag, there.Digest)
	}
	return nil
}
