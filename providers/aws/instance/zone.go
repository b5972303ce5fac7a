package instance

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

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
