package instance

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// The values of Families.
const (
	ipv4 = "ipv4"
	ipv6 = "ipv6"
)

// machines describes instances as the kernel knows them.
func (m *Machines) machines(found []ec2types.Instance) []cloud.Instance {
	machines := make([]cloud.Instance, len(found))
	for n := range found {
		machines[n] = m.machine(&found[n])
	}
	return machines
}

func (m *Machines) machine(i *ec2types.Instance) cloud.Instance {
	id, zone, zoneID := cloud.InstanceID(aws.ToString(i.InstanceId)), "", ""
	if i.Placement != nil {
		zone, zoneID = aws.ToString(i.Placement.AvailabilityZone), aws.ToString(i.Placement.AvailabilityZoneId)
	}
	return cloud.Instance{
		ID:         id,
		ProviderID: providerID(zone, id),
		Name:       aws.ToString(i.PrivateDnsName),
		Type:       string(i.InstanceType),
		Region:     m.Region,
		Zone:       zone,
		State:      state(i.State),
		Addresses:  addresses(i, m.Families),
		Labels:     zoneLabels(zoneID),
		Attributes: m.attributes(i),
	}
}

// state maps as upstream does: only what is stopped is shut down, and what is about to end is
// still there.
//
//	EC2                                 state
//	pending, or none                    pending
//	running, shutting-down, stopping    running
//	stopped                             stopped
//	terminated                          does not exist, see Read
func state(s *ec2types.InstanceState) cloud.State {
	switch {
	case s == nil, s.Name == ec2types.InstanceStateNamePending:
		return cloud.StatePending
	case s.Name == ec2types.InstanceStateNameStopped:
		return cloud.StateStopped
	default:
		return cloud.StateRunning
	}
}

func (m *Machines) attributes(i *ec2types.Instance) map[string]string {
	groups := make([]string, len(i.SecurityGroups))
	for n, group := range i.SecurityGroups {
		groups[n] = aws.ToString(group.GroupId)
	}
	slices.Sort(groups)
	attributes := map[string]string{
		AttributeGroups: strings.Join(groups, ","),
		AttributeVPC:    aws.ToString(i.VpcId),
		attributeSubnet: aws.ToString(i.SubnetId),
	}
	if m.Cluster.Has(tag.Of(i.Tags)) {
		attributes[AttributeTagged] = attributeYes
	}
	return attributes
}

// addresses are those of a Node, one family after the other, as upstream orders them. Network
// interfaces come by device index and count only while they are in use.
//
//	family  addresses
//	ipv4    every private address of every interface; then the public one, the private DNS name
//	        as InternalDNS and as Hostname, and the public DNS name
//	ipv6    the first address of every interface; upstream takes the interfaces as they come
func addresses(i *ec2types.Instance, families []string) []cloud.Address {
	var list []cloud.Address
	add := func(kind cloud.AddressType, address *string) {
		if aws.ToString(address) != "" {
			list = append(list, cloud.Address{Type: kind, Address: *address})
		}
	}
	interfaces := InUse(i.NetworkInterfaces)
	for _, family := range families {
		switch family {
		case ipv4:
			for _, each := range interfaces {
				for _, private := range each.PrivateIpAddresses {
					add(cloud.AddressInternalIP, private.PrivateIpAddress)
				}
			}
			add(cloud.AddressExternalIP, i.PublicIpAddress)
			add(cloud.AddressInternalDNS, i.PrivateDnsName)
			add(cloud.AddressHostname, i.PrivateDnsName)
			add(cloud.AddressExternalDNS, i.PublicDnsName)
		case ipv6:
			for _, each := range interfaces {
				if len(each.Ipv6Addresses) > 0 {
					add(cloud.AddressInternalIP, each.Ipv6Addresses[0].Ipv6Address)
				}
			}
		}
	}
	return list
}

// InUse returns the network interfaces that are, by device index, detached ones last.
func InUse(interfaces []ec2types.InstanceNetworkInterface) []ec2types.InstanceNetworkInterface {
	interfaces = slices.Clone(interfaces)
	interfaces = slices.DeleteFunc(interfaces, func(i ec2types.InstanceNetworkInterface) bool {
		return i.Status != ec2types.NetworkInterfaceStatusInUse
	})
	slices.SortStableFunc(interfaces, func(a, b ec2types.InstanceNetworkInterface) int {
		return cmp.Compare(deviceIndex(a), deviceIndex(b))
	})
	return interfaces
}

func deviceIndex(i ec2types.InstanceNetworkInterface) int32 {
	if i.Attachment == nil || i.Attachment.DeviceIndex == nil {
		return math.MaxInt32
	}
	return *i.Attachment.DeviceIndex
}

// Groups are the ids of the security groups that any of the candidates has, sorted.
func Groups(candidates []cloud.Target) []string {
	var ids []string
	for _, c := range candidates {
		if list := c.Attributes[AttributeGroups]; list != "" {
			ids = append(ids, strings.Split(list, ",")...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Attributes of machines, see cloud.Instance.Attributes.
const (
	AttributeGroups  = "groups"  // ids of its security groups, sorted, with commas
	AttributeVPC     = "vpc"     // id
	attributeSubnet  = "subnet"  // id
	AttributeTagged  = "tagged"  // "true" when it has the cluster's tag
	AttributeFargate = "fargate" // "true" for one of AWS Fargate
)

// attributeYes is the value of attributes that are there or not.
const attributeYes = "true"
