package aws_test

import (
	"net/netip"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// TestWorld reads back what the others build on.
func TestWorld(t *testing.T) {
	t.Parallel()
	w := aws.NewWorld(t, aws.WorldOptions{IPv6: true})
	me, err := w.STS.GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{})
	if err != nil || *me.Account != w.Account {
		t.Errorf("the account is %v, %v; want %s", me, err, w.Account)
	}
	subnets, err := w.EC2.DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{SubnetIds: append(w.Public, w.Private...)})
	if err != nil || len(subnets.Subnets) != 6 {
		t.Fatalf("subnets: %v, %v; want 6", subnets, err)
	}
	for _, subnet := range subnets.Subnets {
		if _, err := netip.ParsePrefix(*subnet.Ipv6CidrBlockAssociationSet[0].Ipv6CidrBlock); err != nil {
			t.Error(err)
		}
	}
	id := w.Boot(t, aws.MachineOptions{Name: "node-1"})[0]
	instance := w.Instance(t, id)
	if *instance.PrivateDnsName != "node-1" || *instance.VpcId != w.VPC || len(instance.SecurityGroups) != 1 || *instance.SecurityGroups[0].GroupId != w.NodeGroup {
		t.Errorf("the instance is %+v", instance)
	}
	if *instance.Placement.AvailabilityZone != aws.Region+"a" || *instance.SubnetId != w.Private[0] {
		t.Errorf("the instance is in %s, %s", *instance.Placement.AvailabilityZone, *instance.SubnetId)
	}
	eni := instance.NetworkInterfaces[0]
	if eni.Status != "in-use" || len(eni.Groups) != 1 || *eni.Groups[0].GroupId != w.NodeGroup || len(eni.Ipv6Addresses) != 1 || len(eni.PrivateIpAddresses) != 1 {
		t.Errorf("its interface is %+v", eni)
	}
	w.Terminate(t, id)
	if state := w.Instance(t, id).State.Name; state != "terminated" {
		t.Errorf("its state is %s", state)
	}
}

// TestAccounts see nothing of each other.
func TestAccounts(t *testing.T) {
	t.Parallel()
	one, other := aws.NewWorld(t, aws.WorldOptions{}), aws.NewWorld(t, aws.WorldOptions{})
	id := one.Boot(t, aws.MachineOptions{})[0]
	if _, err := other.EC2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{id}}); err == nil {
		t.Error("the other account sees the instance")
	}
	vpcs, err := other.EC2.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{VpcIds: []string{one.VPC}})
	if err == nil {
		t.Errorf("the other account sees %v", awssdk.ToString(vpcs.Vpcs[0].VpcId))
	}
}
