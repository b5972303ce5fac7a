package instance

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
)

// A machine of Fargate is a Node without an instance: all there is of it is a network interface,
// whose address is in its id, as in fargate-ip-10-0-55-27.eu-west-1.compute.internal.
const fargatePrefix = "fargate-"

// filterValues is the most values one filter takes.
const filterValues = 200

func onFargate(id cloud.InstanceID) bool { return strings.HasPrefix(string(id), fargatePrefix) }

// fargateAddress is the address in the id of a machine of Fargate.
func fargateAddress(id string) (netip.Addr, error) {
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(id, fargatePrefix), "ip-"), ".")
	address, err := netip.ParseAddr(strings.ReplaceAll(host, "-", "."))
	if err != nil {
		return netip.Addr{}, fmt.Errorf("no address in the id %q of a machine of Fargate: %w", id, err)
	}
	return address, nil
}

// getFargate reads machines of Fargate by the addresses in their ids. One without a network
// interface does not exist.
func (m *Machines) getFargate(ctx context.Context, ids []string) ([]cloud.Instance, error) {
	byAddress := map[string]cloud.InstanceID{}
	var list []string
	for _, id := range ids {
		address, err := fargateAddress(id)
		if err != nil {
			return nil, err
		}
		byAddress[address.String()] = cloud.InstanceID(id)
		list = append(list, address.String())
	}
	var found []ec2types.NetworkInterface
	for batch := range slices.Chunk(list, filterValues) {
		some, err := m.attached(ctx, batch)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	var machines []cloud.Instance
	for n := range found {
		if id, asked := byAddress[aws.ToString(found[n].PrivateIpAddress)]; asked {
			machines = append(machines, m.fargateMachine(id, &found[n]))
		}
	}
	return machines, nil
}

// attached reads the attached network interfaces with these private addresses.
func (m *Machines) attached(ctx context.Context, addresses []string) ([]ec2types.NetworkInterface, error) {
	filters := []ec2types.Filter{filter.By("attachment.status", "attached"), filter.By("private-ip-address", addresses...), filter.InVPC(m.Cluster)}
	found, err := filter.All(func(page *string) (*ec2.DescribeNetworkInterfacesOutput, error) {
		return m.Client.DescribeNetworkInterfaces(ctx, &ec2.DescribeNetworkInterfacesInput{Filters: filters, NextToken: page})
	}, func(o *ec2.DescribeNetworkInterfacesOutput) ([]ec2types.NetworkInterface, *string) {
		return o.NetworkInterfaces, o.NextToken
	})
	return found, failure.Wrap(err, "reading the network interfaces of Fargate's machines")
}

// fargateMachine has no type, and is never off: upstream takes every one of them for shut down.
func (m *Machines) fargateMachine(id cloud.InstanceID, i *ec2types.NetworkInterface) cloud.Instance {
	zone := aws.ToString(i.AvailabilityZone)
	return cloud.Instance{
		ID: id, ProviderID: providerID(zone, id), Name: aws.ToString(i.PrivateDnsName),
		Region: m.Region, Zone: zone, State: cloud.StateRunning,
		Addresses: fargateAddresses(i, m.Families), Labels: zoneLabels(aws.ToString(i.AvailabilityZoneId)),
		Attributes: map[string]string{AttributeFargate: attributeYes, AttributeVPC: aws.ToString(i.VpcId), attributeSubnet: aws.ToString(i.SubnetId)},
	}
}

// fargateAddresses are the first of each family; the DNS name comes once, where upstream
// repeats it for each.
func fargateAddresses(i *ec2types.NetworkInterface, families []string) []cloud.Address {
	var list []cloud.Address
	for _, family := range families {
		switch {
		case family == ipv4 && aws.ToString(i.PrivateIpAddress) != "":
			list = append(list, cloud.Address{Type: cloud.AddressInternalIP, Address: *i.PrivateIpAddress})
		case family == ipv6 && len(i.Ipv6Addresses) > 0:
			list = append(list, cloud.Address{Type: cloud.AddressInternalIP, Address: aws.ToString(i.Ipv6Addresses[0].Ipv6Address)})
		}
	}
	if name := aws.ToString(i.PrivateDnsName); name != "" {
		list = append(list, cloud.Address{Type: cloud.AddressInternalDNS, Address: name})
	}
	return list
}
