package aws

import (
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
)

func TestFargate(t *testing.T) {
	const id, gone = "fargate-ip-10-0-55-27.eu-west-1.compute.internal", "fargate-ip-10-0-55-28.eu-west-1.compute.internal"
	d, fake := newFakeEC2(t)
	d.config.Families = []string{config.IPv6, config.IPv4}
	fake.answer("DescribeNetworkInterfaces", func(url.Values) string {
		return items("networkInterfaceSet", element("networkInterfaceId", "eni-1")+element("privateIpAddress", "10.0.55.27")+
			element("privateDnsName", "ip-10-0-55-27.eu-west-1.compute.internal")+element("availabilityZone", "eu-west-1b")+
			element("availabilityZoneId", "euw1-az2")+element("vpcId", "vpc-1")+element("subnetId", "subnet-2")+
			items("ipv6AddressesSet", element("ipv6Address", "2001:db8::1")))
	})
	found, err := d.Get(t.Context(), id, gone)
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
	asked := filters(fake.calls[0])
	if !slices.Equal(asked["private-ip-address"], []string{"10.0.55.27", "10.0.55.28"}) || !slices.Equal(asked["attachment.status"], []string{"attached"}) ||
		!slices.Equal(asked["vpc-id"], []string{"vpc-1"}) || len(fake.calls) != 1 {
		t.Errorf("%d calls, filters %v", len(fake.calls), asked)
	}
	if found, err := d.Get(t.Context(), "fargate-web"); err == nil {
		t.Errorf("an id without an address = %v", found)
	}
}
