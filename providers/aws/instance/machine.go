package instance

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
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
