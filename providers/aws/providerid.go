package aws

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// scheme is that of our provider-IDs.
const scheme = "aws"

// machineID matches the ids upstream knows: of EC2 instances and of Fargate's machines.
var machineID = regexp.MustCompile(`^(i-|` + fargatePrefix + `)[0-9A-Za-z._-]+$`)

// resourceName matches Node names that begin with the id of their instance, which is how EC2
// names machines whose subnet asks for resource-based names.
var resourceName = regexp.MustCompile(`^(i-(?:[0-9a-f]{8}|[0-9a-f]{17}))(?:\.|$)`)

var _ cloud.Namer = (*Driver)(nil)

// ParseProviderID implements cloud.Instances. What counts is what is behind the last slash, as
// it does upstream:
//
//	aws:///eu-west-1a/i-0123456789abcdef0                    written
//	aws:////i-0123456789abcdef0, i-0123456789abcdef0         read
//	aws:///eu-west-1a/<anything>/fargate-ip-10-0-55-27.…     read, of Fargate's machines
func (d *Driver) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	path, ours := strings.CutPrefix(providerID, scheme+"://")
	if ours && !strings.Contains(path, "/") || !ours && strings.ContainsAny(path, "/:") {
		return "", fmt.Errorf("%q is no provider-ID of AWS: want aws:///<zone>/<instance id>", providerID)
	}
	id := path[strings.LastIndexByte(path, '/')+1:]
	if !machineID.MatchString(id) {
		return "", fmt.Errorf("%q is no provider-ID of AWS: %q is not the id of an instance", providerID, id)
	}
	return cloud.InstanceID(id), nil
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
