package instance

import (
	"cmp"
	"math"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

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
