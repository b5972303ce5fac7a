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
// routes of another network do not reach the nodes. The metadata service answers in YAML, of which one
// line of each network is read.
func checkAttached(ctx context.Context, c cloud.Config, base *url.URL, network int64) error {
	doing := fmt.Sprintf("checking that this machine is in the network %d (%s=true where it is no cloud server)", network, config.EnvNoAttachCheck)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("hetzner/v1/metadata/private-networks").String(), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	response, err := cloud.NewClient(c.Transport).Do(request)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxMetadata))
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: the metadata service answered %d", doing, response.StatusCode)
	}
	attached := slices.ContainsFunc(strings.Split(string(body), "\n"), func(line string) bool {
		id, found := strings.CutPrefix(strings.TrimLeft(line, "- "), "network_id:")
		return found && strings.TrimSpace(id) == strconv.FormatInt(network, 10)
	})
	if !attached {
		return &cloud.Invalid{Field: config.EnvNetwork, Value: strconv.FormatInt(network, 10), Want: "want the network that this machine is in, or " + config.EnvNoAttachCheck + "=true where it is no cloud server"}
	}
	return nil
}
