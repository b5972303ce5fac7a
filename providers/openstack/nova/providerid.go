package nova

import (
	"fmt"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// ParseProviderID implements cloud.Instances. It reads all that upstream reads, whichever form
// it writes, so that OS_CCM_REGIONAL can be changed:
//
//	openstack:///<uuid>                                  written
//	openstack://<region>/<uuid>, the configured region   written with OS_CCM_REGIONAL
//	/<uuid>, <region>/<uuid>                             read: Nodes of old clusters
func (m *Machines) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	region, id, ok := split(providerID)
	if !ok || !api.UUID.MatchString(id) {
		return "", fmt.Errorf("provider-ID %q: want %s:///<server uuid> or %s://<region>/<server uuid>", providerID, Scheme, Scheme)
	}
	if !m.inRegion(region) {
		return "", fmt.Errorf("provider-ID %q: its region is %q, and [Global] region is %q", providerID, region, m.settings.Region)
	}
	return cloud.InstanceID(strings.ToLower(id)), nil
}

// Concerns implements cloud.ProviderIDScope:
//
//	provider-ID                        ours
//	openstack://…, another region      no: its servers are "not found" here
//	openstack://…, anything else       yes, malformed or not
//	no scheme, [<region>]/<uuid>       as with the scheme
//	anything else                      no
func (m *Machines) Concerns(providerID string) bool {
	region, id, ok := split(providerID)
	if ok && !m.inRegion(region) {
		return false
	}
	return strings.HasPrefix(providerID, Scheme+"://") || ok && api.UUID.MatchString(id)
}

// split returns the two parts of a provider-ID.
func split(providerID string) (region, id string, ok bool) {
	rest, schemed := strings.CutPrefix(providerID, Scheme+"://")
	if !schemed && strings.Contains(rest, "://") {
		return "", "", false
	}
	return strings.Cut(rest, "/")
}

func (m *Machines) inRegion(region string) bool {
	return region == "" || region == m.settings.Region
}

// providerID is what upstream writes.
func (m *Machines) providerID(id string) string {
	region := ""
	if m.settings.Regional {
		region = m.settings.Region
	}
	return Scheme + "://" + region + "/" + id
}
