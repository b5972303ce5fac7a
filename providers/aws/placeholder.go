package aws

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// What the nodes' files bring; they replace this one.
const (
	familyIPv4 = "ipv4"
	familyIPv6 = "ipv6"
)

// Instances implements cloud.Driver.
func (d *Driver) Instances() cloud.Instances { return nil }
