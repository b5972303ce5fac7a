package session

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Learn fills in what the file leaves to the machine this runs on: VPC, cluster id and the
// subnet to fall back to. What the file has stays.
func (n *Session) Learn(ctx context.Context, cluster *tag.Cluster, fallbackSubnet *string) error {
	machine, err := self(ctx, n.metadata(), n.compute())
	if err != nil {
		return fmt.Errorf("looking up the machine this runs on: %w", err)
	}
	if cluster.VPC == "" {
		cluster.VPC = aws.ToString(machine.VpcId)
	}
	if *fallbackSubnet == "" && cluster.VPC == aws.ToString(machine.VpcId) {
		*fallbackSubnet = aws.ToString(machine.SubnetId)
	}
	if cluster.ID == "" {
		cluster.ID, cluster.Legacy, err = clusterOf(machine.Tags)
	}
	return err
}

// self returns the machine this runs on.
func self(ctx context.Context, metadata *imds.Client, compute *ec2.Client) (ec2types.Instance, error) {
	answer, err := metadata.GetMetadata(ctx, &imds.GetMetadataInput{Path: "instance-id"})
	if err != nil {
		return ec2types.Instance{}, fmt.Errorf("reading its metadata: %w", err)
	}
	defer answer.Content.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Content, 1024))
	if err != nil {
		return ec2types.Instance{}, fmt.Errorf("reading its metadata: %w", err)
	}
	id := strings.TrimSpace(string(text))
	found, err := compute.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	if err != nil {
		return ec2types.Instance{}, fmt.Errorf("describing %s: %w", id, err)
	}
	for _, reservation := range found.Reservations {
		for _, instance := range reservation.Instances {
			return instance, nil
		}
	}
	return ec2types.Instance{}, fmt.Errorf("describing %s: %w", id, cloud.ErrIncomplete)
}

// clusterOf reads the cluster id from a machine's tags, and whether it is in the old tag too.
func clusterOf(tags []ec2types.Tag) (id string, legacy bool, err error) {
	var old string
	for _, t := range tags {
		key, value := aws.ToString(t.Key), aws.ToString(t.Value)
		if key == tag.LegacyKey {
			old = value
		}
		modern, ok := strings.CutPrefix(key, tag.ClusterPrefix)
		if !ok {
			continue
		}
		if id != "" {
			return "", false, wantCluster(key, fmt.Sprintf("the machine this runs on has the tag of another cluster too, %s%s", tag.ClusterPrefix, id))
		}
		id = modern
	}
	switch {
	case old != "" && id != "" && old != id:
		return "", false, wantCluster(old, fmt.Sprintf("the tags %s and %s of the machine this runs on do not agree", tag.LegacyKey, tag.ClusterPrefix+id))
	case old != "":
		return old, true, nil
	case id != "":
		return id, false, nil
	default:
		return "", false, wantCluster("", fmt.Sprintf("the machine this runs on has no tag %s<id>", tag.ClusterPrefix))
	}
}

func wantCluster(value, why string) error {
	return &cloud.Invalid{
		Field: "[" + config.SectionGlobal + "] KubernetesClusterID", Value: value,
		Want: "want the id of the cluster, as it is in the tags of its machines, subnets and security groups; " + why,
	}
}
