package aws

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// NameTag gives an instance its private DNS name, see moto/compute.py.
const NameTag = "test/private-dns-name"

// MachineOptions say what an instance is like.
type MachineOptions struct {
	// Name is its private DNS name; what moto makes of its address when empty.
	Name string
	// Type is m5.large when empty.
	Type string
	// Subnet is one of World.Private in turn when empty.
	Subnet string
	// Groups are World.NodeGroup when nil.
	Groups []string
	// Untagged leaves out the cluster's tag; Tags are others.
	Untagged bool
	Tags     []types.Tag
	// Count makes that many of them, one when 0.
	Count int32
}

// Boot starts an instance, or several that are alike, and returns their ids.
func (w *World) Boot(t testing.TB, o MachineOptions) []string {
	t.Helper()
	if o.Type == "" {
		o.Type = string(types.InstanceTypeM5Large)
	}
	if o.Subnet == "" {
		o.Subnet = w.Private[w.booted%len(w.Private)]
		w.booted++
	}
	if o.Groups == nil {
		o.Groups = []string{w.NodeGroup}
	}
	count := max(o.Count, 1)
	tags := o.Tags
	if !o.Untagged {
		tags = append(tags, Owned(w.ClusterID))
	}
	if o.Name != "" {
		tags = append(tags, Tag(NameTag, o.Name))
	}
	input := &ec2.RunInstancesInput{
		ImageId: aws.String("ami-12345678"), InstanceType: types.InstanceType(o.Type), MinCount: &count, MaxCount: &count,
		SubnetId: &o.Subnet, SecurityGroupIds: o.Groups, TagSpecifications: tagged(types.ResourceTypeInstance, tags...),
	}
	if w.ipv6 {
		input.Ipv6AddressCount = aws.Int32(1)
	}
	var ids []string
	for _, instance := range must(w.EC2.RunInstances(t.Context(), input))(t).Instances {
		ids = append(ids, *instance.InstanceId)
	}
	return ids
}

// Terminate ends an instance.
func (w *World) Terminate(t testing.TB, ids ...string) {
	t.Helper()
	must(w.EC2.TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: ids}))(t)
}

// Stop stops an instance.
func (w *World) Stop(t testing.TB, ids ...string) {
	t.Helper()
	must(w.EC2.StopInstances(t.Context(), &ec2.StopInstancesInput{InstanceIds: ids}))(t)
}

// Start starts instances that were stopped.
func (w *World) Start(t testing.TB, ids ...string) {
	t.Helper()
	must(w.EC2.StartInstances(t.Context(), &ec2.StartInstancesInput{InstanceIds: ids}))(t)
}

// Instance reads an instance.
func (w *World) Instance(t testing.TB, id string) types.Instance {
	t.Helper()
	return must(w.EC2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{id}}))(t).Reservations[0].Instances[0]
}

// Abroad starts an instance of the same account in another region and returns its id.
func (w *World) Abroad(t testing.TB, region string) string {
	t.Helper()
	transport := w.server.Transport(w.Account)
	t.Cleanup(transport.CloseIdleConnections)
	other := &World{Clients: connect(transport, "http://moto", region), Account: w.Account, Region: region, ClusterID: w.ClusterID, server: w.server}
	other.makeVPC(t)
	other.Private = []string{other.makeSubnet(t, 0, 0, "kubernetes.io/role/internal-elb")}
	other.NodeGroup = other.Group(t, "nodes", Owned(other.ClusterID))
	return other.Boot(t, MachineOptions{})[0]
}
