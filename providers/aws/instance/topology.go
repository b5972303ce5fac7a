package instance

import (
	"context"
	"fmt"
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

// LabelNeed implements cloud.Labeler.
//
//	machine                                need
//	the Node has the first layer's label   none
//	without a type, as on Fargate          none
//	type matches topologyPattern           required
//	other                                  wanted
func (m *Machines) LabelNeed(machine cloud.Instance, labels map[string]string) cloud.LabelNeed {
	_, labelled := labels[labelNetworkLayer+"1"]
	switch {
	case labelled, machine.Type == "":
		return cloud.LabelsNone
	case m.TopologyPattern != nil && m.TopologyPattern.MatchString(machine.Type):
		return cloud.LabelsRequired
	default:
		return cloud.LabelsWanted
	}
}

// Labels implements cloud.Labeler with one call for a hundred machines.
//
//	answer                                      labels
//	layers                                      one for each
//	none for an instance, or for its type       none
//	the region does not tell, or we may not     none: nobody would wait for them to come
//	ask
//	any other refusal                           an error
func (m *Machines) Labels(ctx context.Context, machines []cloud.Instance) (map[cloud.InstanceID]map[string]string, error) {
	labels := map[cloud.InstanceID]map[string]string{}
	for batch := range slices.Chunk(machines, topologyBatch) {
		ids := make([]string, len(batch))
		for n, machine := range batch {
			ids[n] = string(machine.ID)
		}
		found, err := m.topology(ctx, ids)
		if failure.Is(err, "UnsupportedOperation", "UnauthorizedOperation") {
			return labels, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the topology of %d instances: %w", len(ids), err)
		}
		for _, one := range found {
			labels[cloud.InstanceID(aws.ToString(one.InstanceId))] = layerLabels(one.NetworkNodes)
		}
	}
	return labels, nil
}

// topology reads where instances are.
func (m *Machines) topology(ctx context.Context, ids []string) ([]ec2types.InstanceTopology, error) {
	return inHalves(ids, func(ids []string) ([]ec2types.InstanceTopology, error) {
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
