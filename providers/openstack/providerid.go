package openstack

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// uuid is the form of all ids of Nova. An id of any other form cannot be one of its servers,
// which its answer "not found" would hide.
var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// ParseProviderID implements cloud.Instances: "openstack:///<uuid>" or
// "openstack://<region>/<uuid>" with the region of the configuration. Like upstream it takes
// either form whichever one it writes, so that OS_CCM_REGIONAL can be changed.
func (d *Driver) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	rest, ok := strings.CutPrefix(providerID, scheme+"://")
	region, id, separated := strings.Cut(rest, "/")
	if !ok || !separated || !uuid.MatchString(id) {
		return "", fmt.Errorf("provider-ID %q: want %s:///<server uuid> or %s://<region>/<server uuid>", providerID, scheme, scheme)
	}
	if region != "" && region != d.config.global.region {
		return "", fmt.Errorf("provider-ID %q: its region is %q, and [Global] region is %q", providerID, region, d.config.global.region)
	}
	return cloud.InstanceID(strings.ToLower(id)), nil
}

// providerID is what upstream writes.
func (d *Driver) providerID(id string) string {
	region := ""
	if d.regional {
		region = d.config.global.region
	}
	return scheme + "://" + region + "/" + id
}
