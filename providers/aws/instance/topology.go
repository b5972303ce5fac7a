package instance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

const (
	// labelNetworkLayer and a number from 1 on is the label of one layer of the network above a
	// machine, the widest first.
	labelNetworkLayer = "topology.k8s.aws/network-node-layer-"
	// topologyBatch is the most instances one DescribeInstanceTopology is asked for.
	topologyBatch = 100
)

// LabelNeed implements cloud.Labeler. Nobody has asked for the labels of what topologyPattern does not match, so no Node waits for them.
//
//	machine                                 its Node has            need
//	of a type that topologyPattern matches  no label of a layer     required
//	of which EC2 did not say the zone's id  no label with that id   wanted
//	without a type, as on Fargate           -                       none
//	other                                   the first layer's label none
//	other                                   no label of a layer     wanted
func (m *Machines) LabelNeed(machine cloud.Instance, labels map[string]string) cloud.LabelNeed {
	_, labelled := labels[labelNetworkLayer+"1"]
	switch {
	case !labelled && machine.Type != "" && m.TopologyPattern != nil && m.TopologyPattern.MatchString(machine.Type):
		return cloud.LabelsRequired
	case lacksZoneID(machine) && labels[labelZoneID] == "":
		return cloud.LabelsWanted
	case labelled, machine.Type == "":
		return cloud.LabelsNone
	default:
		return cloud.LabelsWanted
	}
}

// Labels implements cloud.Labeler with one call for a hundred machines, and one for zones where EC2 does not say their ids
// with the machines themselves. What one of the two fails with does not lose the labels of the other.
//
//	answer                                      labels of the network's layers
//	layers                                      one for each
//	none for an instance, or for its type       none
//	the region does not tell, or we may not     none: nobody would wait for them to come
//	ask
//	any other refusal                           those that were read before, and an error
func (m *Machines) Labels(ctx context.Context, machines []cloud.Instance) (map[cloud.InstanceID]map[string]string, error) {
	labels, zones := m.zonesOf(ctx, machines)
	instances := slices.DeleteFunc(slices.Clone(machines), func(machine cloud.Instance) bool { return machine.Type == "" })
	ids := make([]string, len(instances))
	for n, machine := range instances {
		ids[n] = string(machine.ID)
	}
	found, err := m.topology(ctx, ids)
	switch {
	case failure.Is(err, "UnsupportedOperation", "UnauthorizedOperation"):
		err = nil
	case err != nil:
		err = fmt.Errorf("reading the topology of %d instances: %w", len(ids), err)
	}
	for _, one := range found {
		id := cloud.InstanceID(aws.ToString(one.InstanceId))
		layers := layerLabels(one.NetworkNodes)
		maps.Copy(layers, labels[id])
		labels[id] = layers
	}
	return labels, errors.Join(zones, err)
}

// ZoneKeys implements cloud.Labeler.
func (m *Machines) ZoneKeys() []string { return []string{labelZoneID} }

// zonesOf returns the labels of their zones for the machines that lack them.
func (m *Machines) zonesOf(ctx context.Context, machines []cloud.Instance) (map[cloud.InstanceID]map[string]string, error) {
	labels := map[cloud.InstanceID]map[string]string{}
	if !slices.ContainsFunc(machines, lacksZoneID) {
		return labels, nil
	}
	ids, err := m.zoneIDs(ctx)
	for _, machine := range machines {
		if id := ids[machine.Zone]; id != "" && lacksZoneID(machine) {
			labels[machine.ID] = zoneLabels(id)
		}
	}
	return labels, err
}

// topology reads where instances are.
func (m *Machines) topology(ctx context.Context, ids []string) ([]ec2types.InstanceTopology, error) {
	return inHalves(ids, topologyBatch, func(ids []string) ([]ec2types.InstanceTopology, error) {
		answer, err := m.Client.DescribeInstanceTopology(ctx, &ec2.DescribeInstanceTopologyInput{InstanceIds: ids})
		if err == nil && answer.Instances == nil {
			err = cloud.ErrIncomplete
		}
		if err != nil {
			return nil, err
		}
		return answer.Instances, nil
	})
}

func layerLabels(networkNodes []string) map[string]string {
	labels := map[string]string{}
	for n, node := range networkNodes {
		labels[labelNetworkLayer+strconv.Itoa(n+1)] = node
	}
	return labels
}

// labelZoneID is the label of the zone's id, which is the same in every account.
const labelZoneID = "topology.k8s.aws/zone-id"

// zoneLabels are the labels of a Node in a zone of that id, "" where it is not known.
func zoneLabels(id string) map[string]string {
	if id == "" {
		return nil
	}
	return map[string]string{labelZoneID: id}
}

// lacksZoneID reports whether EC2 did not say the id of its zone with the machine itself.
func lacksZoneID(machine cloud.Instance) bool {
	return machine.Zone != "" && machine.Labels[labelZoneID] == ""
}

// zoneIDs are the ids of zones by name. Local Zones, Wavelength Zones and the zones of Outposts are zones like others
// for a Node.
func (m *Machines) zoneIDs(ctx context.Context) (map[string]string, error) {
	// All of them: it is one call, and an unknown name would make it fail.
	answer, err := m.Client.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{AllAvailabilityZones: aws.Bool(true)})
	if err == nil && answer.AvailabilityZones == nil {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, fmt.Errorf("reading the ids of zones: %w", err)
	}
	ids := map[string]string{}
	for _, zone := range answer.AvailabilityZones {
		ids[aws.ToString(zone.ZoneName)] = aws.ToString(zone.ZoneId)
	}
	return ids, nil
}
