package hcloud

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

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
	text, err := cloud.ReadMetadata(ctx, c.Transport, base.JoinPath("hetzner/v1/metadata/private-networks").String())
	for line := range strings.Lines(text) {
		if id, found := strings.CutPrefix(strings.TrimLeft(line, "- "), "network_id:"); found {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	return ids, err
}
