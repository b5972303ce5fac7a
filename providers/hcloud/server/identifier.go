// Package server is about machines: cloud servers and dedicated servers.
package server

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
)

// Schemes of provider-IDs.
const (
	Scheme          = "hcloud"
	DedicatedScheme = "hrobot"
)

// dedicated marks the ids of dedicated servers, whose numbers are other ones than those of cloud servers.
const dedicated = "robot-"

// legacy marks the number of a dedicated server behind the scheme of cloud servers, as the controller
// manager of Syself wrote it.
const legacy = "bm-"

// ID is the id of a cloud server.
func ID(number int64) cloud.InstanceID { return cloud.InstanceID(strconv.FormatInt(number, 10)) }

// NodeID implements cloud.NodeIdentity: the configuration can say that a dedicated server is another one when it
// has another name.
func (m *Machines) NodeID(id cloud.InstanceID, name string) cloud.InstanceID {
	if m.Settings.Robot.NameMustMatch && strings.HasPrefix(string(id), dedicated) {
		return id + cloud.InstanceID("/"+name)
	}
	return id
}

// Number is what the API calls a machine.
func Number(id cloud.InstanceID) (number int64, isDedicated bool, err error) {
	text, isDedicated := strings.CutPrefix(string(id), dedicated)
	if isDedicated {
		text, _, _ = strings.Cut(text, "/") // its name
	}
	number, ok := api.ID(text)
	if !ok {
		return 0, false, fmt.Errorf("machine %q: want the number of a server", id)
	}
	return number, isDedicated, nil
}

// ParseProviderID implements cloud.Instances.
//
//	provider-ID            is of
//	hcloud://<number>      a cloud server
//	hrobot://<number>      a dedicated server
//	hcloud://bm-<number>   a dedicated server; it is read only
//
// Dedicated servers concern nobody unless the configuration says so.
func (m *Machines) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	scheme, text, _ := strings.Cut(providerID, "://")
	bare, isLegacy := strings.CutPrefix(text, legacy)
	number, ok := api.ID(bare)
	switch {
	case !ok, !m.Concerns(providerID):
	case scheme == Scheme && !isLegacy:
		return ID(number), nil
	case scheme == Scheme, scheme == DedicatedScheme && !isLegacy:
		return cloud.InstanceID(dedicated + bare), nil
	}
	return "", fmt.Errorf("provider-ID %q: want %s://<number of a cloud server> or %s://<number of a dedicated server>", providerID, Scheme, DedicatedScheme)
}

// Concerns implements cloud.ProviderIDScope.
func (m *Machines) Concerns(providerID string) bool {
	scheme, text, _ := strings.Cut(providerID, "://")
	return scheme == Scheme && !strings.HasPrefix(text, legacy) || (scheme == Scheme || scheme == DedicatedScheme) && m.Settings.Robot.Enabled
}

// PartOf implements cloud.Partition: dedicated servers are seen with the credentials for Robot, which
// are of another account than the token of the project.
func (m *Machines) PartOf(id cloud.InstanceID) string {
	if _, isDedicated, err := Number(id); err == nil && isDedicated {
		return "robot"
	}
	return ""
}
