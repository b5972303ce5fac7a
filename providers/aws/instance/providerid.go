package instance

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Scheme is that of our provider-IDs.
const Scheme = "aws"

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

// zoneName takes the region out of the name of a zone; Local and Wavelength Zones have their
// region in front too: eu-west-1a, us-west-2-lax-1a, us-east-1-wl1-bos-wlz-1.
var zoneName = regexp.MustCompile(`^([a-z]+(?:-[a-z]+)+-[0-9]+)(?:[a-z]|-[a-z0-9-]+)$`)

// regionName is what the regions of AWS are called. Clouds with the same API may use other names.
var regionName = regexp.MustCompile(`^[a-z]+(?:-[a-z]+)+-[0-9]+$`)

// ParseProviderID implements cloud.Instances. It reads all that upstream reads, where what
// counts is behind the last slash:
//
//	aws:///eu-west-1a/i-0123456789abcdef0                    written
//	aws:////i-0123456789abcdef0                              read
//	aws://eu-west-1a/i-0123456789abcdef0                     read
//	eu-west-1a/i-0123456789abcdef0, i-0123456789abcdef0      read: no scheme
//	aws:///eu-west-1a/<anything>/fargate-ip-10-0-55-27.…     read, of Fargate's machines
func (m *Machines) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	zone, id, ok := split(providerID)
	if !ok {
		return "", fmt.Errorf("%q is no provider-ID of AWS: want aws:///<zone>/<instance id>", providerID)
	}
	if region := m.otherRegion(zone); region != "" {
		return "", fmt.Errorf("%q is a provider-ID of region %s: this is %s", providerID, region, m.Region)
	}
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

// Concerns implements cloud.ProviderIDScope. The same instance id is "not found" in every region but its
// own, so a Node of another region is none of ours:
//
//	provider-ID                            ours
//	aws://…, zone of our region            yes, malformed or not
//	aws://…, without zone                  yes
//	aws://…, zone of another region        no
//	no scheme, ends in the id of a machine  as with the scheme
//	anything else                          no
func (m *Machines) Concerns(providerID string) bool {
	zone, id, ok := split(providerID)
	if m.otherRegion(zone) != "" {
		return false
	}
	return strings.HasPrefix(providerID, Scheme+"://") || ok && machineID.MatchString(string(id))
}

// split returns what stands for the zone and for the machine. The zone is "" where there is none.
func split(providerID string) (zone string, id cloud.InstanceID, ok bool) {
	path, schemed := strings.CutPrefix(providerID, Scheme+"://")
	if schemed && !strings.Contains(path, "/") || !schemed && strings.Contains(path, "://") {
		return "", "", false
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) > 1 {
		zone = parts[0]
	}
	return zone, cloud.InstanceID(parts[len(parts)-1]), true
}

// otherRegion returns the region of a zone that is not in ours, else "". A zone whose name is not
// like AWS's says nothing.
func (m *Machines) otherRegion(zone string) string {
	match := zoneName.FindStringSubmatch(zone)
	if match == nil || match[1] == m.Region || !regionName.MatchString(m.Region) {
		return ""
	}
	return match[1]
}

// providerID is the form upstream writes.
func providerID(zone string, id cloud.InstanceID) string {
	return Scheme + ":///" + zone + "/" + string(id)
}

// NameID implements cloud.Namer.
func (m *Machines) NameID(name string) cloud.InstanceID {
	if match := resourceName.FindStringSubmatch(name); match != nil {
		return cloud.InstanceID(match[1])
	}
	return ""
}
