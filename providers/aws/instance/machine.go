package instance

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
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
func (m *Machines) machines(ctx context.Context, found []ec2types.Instance) ([]cloud.Instance, error) {
	places := make([]*ec2types.Placement, len(found))
	for n := range found {
		places[n] = found[n].Placement
	}
	zones, err := m.zoneIDs(ctx, places)
	if err != nil {
		return nil, err
	}
	machines := make([]cloud.Instance, len(found))
	for n := range found {
		machines[n] = m.machine(&found[n], zones)
	}
	return machines, nil
}

func (m *Machines) machine(i *ec2types.Instance, zones map[string]string) cloud.Instance {
	id, zone := cloud.InstanceID(aws.ToString(i.InstanceId)), ""
	if i.Placement != nil {
		zone = aws.ToString(i.Placement.AvailabilityZone)
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
		Labels:     zoneLabels(i.Placement, zones),
		Attributes: m.traits(i),
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

func (m *Machines) traits(i *ec2types.Instance) map[string]string {
	groups := make([]string, len(i.SecurityGroups))
	for n, group := range i.SecurityGroups {
		groups[n] = aws.ToString(group.GroupId)
	}
	slices.Sort(groups)
	traits := map[string]string{
		attributeGroups: strings.Join(groups, ","),
		AttributeVPC:    aws.ToString(i.VpcId),
		attributeSubnet: aws.ToString(i.SubnetId),
	}
	if m.Cluster.Has(tag.Of(i.Tags)) {
		traits[AttributeTagged] = attributeYes
	}
	return traits
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

// labelZoneID is the label of the zone's id, which is the same in every account.
const labelZoneID = "topology.k8s.aws/zone-id"

// Local Zones, Wavelength Zones and the zones of Outposts are zones like others for a Node.

// zoneIDs are the ids of zones by name, read only where EC2 does not say them with the place
// itself.
func (m *Machines) zoneIDs(ctx context.Context, places []*ec2types.Placement) (map[string]string, error) {
	if !slices.ContainsFunc(places, lacksZoneID) {
		return nil, nil
	}
	// All of them: it is one call, and an unknown name would make it fail.
	answer, err := m.Client.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{AllAvailabilityZones: aws.Bool(true)})
	if err != nil {
		return nil, fmt.Errorf("reading the ids of zones: %w", err)
	}
	if answer.AvailabilityZones == nil {
		return nil, fmt.Errorf("reading the ids of zones: %w", cloud.ErrIncomplete)
	}
	ids := map[string]string{}
	for _, zone := range answer.AvailabilityZones {
		ids[aws.ToString(zone.ZoneName)] = aws.ToString(zone.ZoneId)
	}
	return ids, nil
}

func lacksZoneID(p *ec2types.Placement) bool {
	return p != nil && aws.ToString(p.AvailabilityZone) != "" && aws.ToString(p.AvailabilityZoneId) == ""
}

// zoneLabels are the labels of a Node in a zone.
func zoneLabels(p *ec2types.Placement, ids map[string]string) map[string]string {
	if p == nil {
		return nil
	}
	id := aws.ToString(p.AvailabilityZoneId)
	if id == "" {
		id = ids[aws.ToString(p.AvailabilityZone)]
	}
	if id == "" {
		return nil
	}
	return map[string]string{labelZoneID: id}
}

// Groups are the ids of the security groups that any of the candidates has, sorted.
func Groups(candidates []cloud.Target) []string {
	var ids []string
	for _, c := range candidates {
		if list := c.Attributes[attributeGroups]; list != "" {
			ids = append(ids, strings.Split(list, ",")...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Attributes of machines, see cloud.Instance.Attributes.
const (
	attributeGroups  = "groups"  // ids of its security groups, sorted, with commas
	AttributeVPC     = "vpc"     // id
	attributeSubnet  = "subnet"  // id
	AttributeTagged  = "tagged"  // "true" when it has the cluster's tag
	AttributeFargate = "fargate" // "true" for one of AWS Fargate
)

// attributeYes is the value of attributes that are there or not.
const attributeYes = "true"
