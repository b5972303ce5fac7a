package hcloud

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

// maxMetadata is the largest answer of the metadata service that is read, in bytes.
const maxMetadata = 64 << 10

// checkAttached returns an error unless the machine this runs on is in the network: load balancers and
// routes of another network do not reach the nodes.
func checkAttached(ctx context.Context, c cloud.Config, base *url.URL, network int64) error {
	id := strconv.FormatInt(network, 10)
	attached, err := networks(ctx, c, base)
	if err != nil {
		return fmt.Errorf("checking that this machine is in the network %s (%s=true where it is no cloud server): %w", id, config.EnvNoAttachCheck, err)
	}
	if !slices.Contains(attached, id) {
		return &cloud.Invalid{Field: config.EnvNetwork, Value: id, Want: "want the network that this machine is in, or " + config.EnvNoAttachCheck + "=true where it is no cloud server"}
	}
	return nil
}

// networks returns the ids of the networks that the machine this runs on is in. The metadata service answers in YAML, of
// which one line of each network is read.
func networks(ctx context.Context, c cloud.Config, base *url.URL) (ids []string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("hetzner/v1/metadata/private-networks").String(), nil)
	if err != nil {
		return nil, err
	}
	response, err := cloud.NewClient(c.Transport).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the metadata service answered %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxMetadata))
	for line := range strings.Lines(string(body)) {
		if id, found := strings.CutPrefix(strings.TrimLeft(line, "- "), "network_id:"); found {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	return ids, err
}
