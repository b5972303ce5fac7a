package aws

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// scheme is that of our provider-IDs.
const scheme = "aws"

// ec2ID is what the id of an EC2 instance looks like.
const ec2ID = `i-(?:[0-9a-f]{8}|[0-9a-f]{17})`

var (
	// machineID matches ids of EC2 instances and of Fargate's machines. What EC2 would call
	// malformed does not match: it says nothing about whether a machine exists, and would spoil
	// the question about all others.
	machineID = regexp.MustCompile(`^(?:` + ec2ID + `|` + fargatePrefix + `[0-9A-Za-z._-]+)$`)
	// resourceName matches Node names that begin with the id of their instance, which is how EC2
	// names machines whose subnet asks for resource-based names.
	resourceName = regexp.MustCompile(`^(` + ec2ID + `)(?:\.|$)`)
)

var _ cloud.Namer = (*Driver)(nil)

// ParseProviderID implements cloud.Instances. What counts is what is behind the last slash, as
// it does upstream:
//
//	aws:///eu-west-1a/i-0123456789abcdef0                    written
//	aws:////i-0123456789abcdef0                              read
//	aws:///eu-west-1a/<anything>/fargate-ip-10-0-55-27.…     read, of Fargate's machines
func (d *Driver) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	path, ours := strings.CutPrefix(providerID, scheme+"://")
	slash := strings.LastIndexByte(path, '/')
	if !ours || slash < 0 {
		return "", fmt.Errorf("%q is no provider-ID of AWS: want aws:///<zone>/<instance id>", providerID)
	}
	id := cloud.InstanceID(path[slash+1:])
	if !machineID.MatchString(string(id)) {
		return "", fmt.Errorf("%q is no provider-ID of AWS: %q is not the id of an instance, want i- and 8 or 17 hexadecimal digits", providerID, id)
	}
	if onFargate(id) {
		if _, err := fargateAddress(string(id)); err != nil {
			return "", fmt.Errorf("%q is no provider-ID of AWS: %w", providerID, err)
		}
	}
	return id, nil
}

// providerID is the form upstream writes.
func providerID(zone string, id cloud.InstanceID) string {
	return scheme + ":///" + zone + "/" + string(id)
}

// NameID implements cloud.Namer.
func (d *Driver) NameID(name string) cloud.InstanceID {
	if match := resourceName.FindStringSubmatch(name); match != nil {
		return cloud.InstanceID(match[1])
	}
	return ""
}
