package digitalocean

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// resolveRegion returns the configured region after asking the API whether it exists, else
// the region of the droplet this process runs on.
func resolveRegion(ctx context.Context, transport http.RoundTripper, client *godo.Client, s config.Settings) (string, error) {
	if s.Region != "" {
		return s.Region, checkRegion(ctx, client, s.Region)
	}
	slug, err := cloud.ReadMetadata(ctx, transport, s.MetadataURL.JoinPath("metadata/v1/region").String())
	if err != nil {
		return "", fmt.Errorf("reading the region from the metadata service (set %s where there is none): %w", config.EnvRegion, err)
	}
	if !identifier.IsSlug(slug) {
		return "", &cloud.Invalid{Field: "region of the metadata service", Value: slug, Want: "want a region slug; set " + config.EnvRegion}
	}
	return slug, nil
}

// checkRegion refuses a region the API does not list. A list that can't be read proves
// nothing, and must not keep a replica from starting while the API is down.
func checkRegion(ctx context.Context, client *godo.Client, region string) error {
	regions, err := cloud.Whole(api.Pages(func(o *godo.ListOptions) ([]godo.Region, *godo.Response, error) {
		return client.Regions.List(ctx, o)
	}))
	if err != nil {
		return nil //nolint:nilerr // unreadable is not wrong
	}
	var slugs []string
	for _, r := range regions {
		slugs = append(slugs, r.Slug)
	}
	if slices.Contains(slugs, region) {
		return nil
	}
	slices.Sort(slugs)
	return &cloud.Invalid{Field: config.EnvRegion, Value: region, Want: "want one of " + strings.Join(slugs, ", ")}
}
