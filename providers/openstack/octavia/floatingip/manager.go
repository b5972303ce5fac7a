// Package floatingip finds, makes and moves the floating IPs of load balancers.
package floatingip

import (
	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/check"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// Manager are those of load balancers.
type Manager struct {
	Network *gophercloud.ServiceClient
	Rules   *desired.Rules
	Reader  *object.Reader
	Checker *check.Checker
}
