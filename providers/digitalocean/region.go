package digitalocean

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// metadataTimeout bounds the request to the metadata service, which is one hop away.
const metadataTimeout = 5 * time.Second

// resolveRegion returns the configured region after asking the API whether it exists, else
// the region of the droplet this process runs on.
func resolveRegion(ctx context.Context, transport http.RoundTripper, client *godo.Client, s config.Settings) (string, error) {
	if s.Region != "" {
		return s.Region, checkRegion(ctx, client, s.Region)
	}
	slug, err := readMetadata(ctx, transport, s.MetadataURL.JoinPath("metadata/v1/region").String())
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
	regions, err := api.Pages(func(o *godo.ListOptions) ([]godo.Region, *godo.Response, error) {
		return client.Regions.List(ctx, o)
	})
	if err != nil || !regions.Complete {
		return nil //nolint:nilerr // unreadable is not wrong
	}
	var slugs []string
	for _, r := range regions.Items {
		slugs = append(slugs, r.Slug)
	}
	if slices.Contains(slugs, region) {
		return nil
	}
	slices.Sort(slugs)
	return &cloud.Invalid{Field: config.EnvRegion, Value: region, Want: "want one of " + strings.Join(slugs, ", ")}
}

// readMetadata reads one value of the metadata service. The API token is not sent there.
func readMetadata(ctx context.Context, transport http.RoundTripper, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("GET %s: %s", url, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 256))
	return strings.TrimSpace(string(body)), err
}
