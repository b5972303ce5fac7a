// Package server is about machines: cloud servers and dedicated servers.
package server

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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

// DedicatedID is the id of a dedicated server.
func DedicatedID(number int64) cloud.InstanceID {
	return cloud.InstanceID(dedicated + strconv.FormatInt(number, 10))
}

// Number is what the API calls a machine.
func Number(id cloud.InstanceID) (number int64, isDedicated bool, err error) {
	text, isDedicated := strings.CutPrefix(string(id), dedicated)
	number, ok := positive(text)
	if !ok {
		return 0, false, fmt.Errorf("machine %q: want the number of a server", id)
	}
	return number, isDedicated, nil
}

// positive reads a number as Hetzner writes it: without sign and leading zeros.
func positive(text string) (number int64, ok bool) {
	number, err := strconv.ParseInt(text, 10, 64)
	return number, err == nil && number > 0 && text == strconv.FormatInt(number, 10)
}

// ParseProviderID implements cloud.Instances.
//
//	provider-ID            is of
//	hcloud://<number>      a cloud server
//	hrobot://<number>      a dedicated server
//	hcloud://bm-<number>   a dedicated server; it is read only
func (m *Machines) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	scheme, text, _ := strings.Cut(providerID, "://")
	bare, isLegacy := strings.CutPrefix(text, legacy)
	number, ok := positive(bare)
	switch {
	case !ok:
	case scheme == Scheme && !isLegacy:
		return ID(number), nil
	case scheme == Scheme, scheme == DedicatedScheme && !isLegacy:
		return DedicatedID(number), nil
	}
	return "", fmt.Errorf("provider-ID %q: want %s://<number of a cloud server> or %s://<number of a dedicated server>", providerID, Scheme, DedicatedScheme)
}

// PartOf implements cloud.Partitioned: dedicated servers are seen with the credentials for Robot, which
// are of another account than the token of the project.
func (m *Machines) PartOf(id cloud.InstanceID) string {
	if _, isDedicated, err := Number(id); err == nil && isDedicated {
		return "robot"
	}
	return ""
}
