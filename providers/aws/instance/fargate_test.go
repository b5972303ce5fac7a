package instance

import (
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
)

func TestFargate(t *testing.T) {
	const id, gone = "fargate-ip-10-0-55-27.eu-west-1.compute.internal", "fargate-ip-10-0-55-28.eu-west-1.compute.internal"
	m, fake := newMachines(t)
	m.Families = []string{ipv6, ipv4}
	fake.Answer("DescribeNetworkInterfaces", func(url.Values) string {
		return ec2test.Items("networkInterfaceSet", ec2test.Element("networkInterfaceId", "eni-1")+ec2test.Element("privateIpAddress", "10.0.55.27")+
			ec2test.Element("privateDnsName", "ip-10-0-55-27.eu-west-1.compute.internal")+ec2test.Element("availabilityZone", "eu-west-1b")+
			ec2test.Element("availabilityZoneId", "euw1-az2")+ec2test.Element("vpcId", "vpc-1")+ec2test.Element("subnetId", "subnet-2")+
			ec2test.Items("ipv6AddressesSet", ec2test.Element("ipv6Address", "2001:db8::1")))
	})
	found, err := m.Get(t.Context(), id, gone)
	if err != nil {
		t.Fatal(err)
	}
	want := map[cloud.InstanceID]cloud.Instance{id: {
		ID: id, ProviderID: "aws:///eu-west-1b/" + id, Name: "ip-10-0-55-27.eu-west-1.compute.internal",
		Region: "eu-west-1", Zone: "eu-west-1b", State: cloud.StateRunning,
		Addresses: []cloud.Address{
			{Type: cloud.AddressInternalIP, Address: "2001:db8::1"}, {Type: cloud.AddressInternalIP, Address: "10.0.55.27"},
			{Type: cloud.AddressInternalDNS, Address: "ip-10-0-55-27.eu-west-1.compute.internal"},
		},
		Labels:     map[string]string{"topology.k8s.aws/zone-id": "euw1-az2"},
		Attributes: map[string]string{"fargate": "true", "vpc": "vpc-1", "subnet": "subnet-2"},
	}}
	if difference := cmp.Diff(want, found); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
	asked := ec2test.Filters(fake.Calls[0])
	if !slices.Equal(asked["private-ip-address"], []string{"10.0.55.27", "10.0.55.28"}) || !slices.Equal(asked["attachment.status"], []string{"attached"}) ||
		!slices.Equal(asked["vpc-id"], []string{"vpc-1"}) || len(fake.Calls) != 1 {
		t.Errorf("%d calls, filters %v", len(fake.Calls), asked)
	}
	if found, err := m.Get(t.Context(), "fargate-web"); err == nil {
		t.Errorf("an id without an address = %v", found)
	}
}
