package balancer

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// At returns what a balancer with that host name is reached at.
func At(host *string) []cloud.BalancerAddress {
	if aws.ToString(host) == "" {
		return nil
	}
	return []cloud.BalancerAddress{{Hostname: *host}}
}
