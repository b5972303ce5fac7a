package instance

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func networkInterface(index int32, status ec2types.NetworkInterfaceStatus, v6 string, v4 ...string) ec2types.InstanceNetworkInterface {
	i := ec2types.InstanceNetworkInterface{Status: status, Ipv6Addresses: []ec2types.InstanceIpv6Address{
		{Ipv6Address: aws.String(v6)}, {Ipv6Address: aws.String(v6 + ":2")},
	}}
	if index >= 0 {
		i.Attachment = &ec2types.InstanceNetworkInterfaceAttachment{DeviceIndex: aws.Int32(index)}
	}
	for _, address := range v4 {
		i.PrivateIpAddresses = append(i.PrivateIpAddresses, ec2types.InstancePrivateIpAddress{PrivateIpAddress: aws.String(address)})
	}
	return i
}

func TestAddresses(t *testing.T) {
	instance := &ec2types.Instance{
		PublicIpAddress: aws.String("198.51.100.1"),
		PrivateDnsName:  aws.String("ip-10-0-0-1.ec2.internal"),
		PublicDnsName:   aws.String("ec2-198-51-100-1.compute-1.amazonaws.com"),
		NetworkInterfaces: []ec2types.InstanceNetworkInterface{
			networkInterface(-1, ec2types.NetworkInterfaceStatusInUse, "2001:db8::9", "10.0.0.9"),
			networkInterface(1, ec2types.NetworkInterfaceStatusInUse, "2001:db8::3", "10.0.0.3"),
			networkInterface(2, ec2types.NetworkInterfaceStatusDetaching, "2001:db8::5", "10.0.0.5"),
			networkInterface(0, ec2types.NetworkInterfaceStatusInUse, "2001:db8::1", "10.0.0.1", "10.0.0.2"),
		},
	}
	v4 := []cloud.Address{
		{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}, {Type: cloud.AddressInternalIP, Address: "10.0.0.2"},
		{Type: cloud.AddressInternalIP, Address: "10.0.0.3"}, {Type: cloud.AddressInternalIP, Address: "10.0.0.9"},
		{Type: cloud.AddressExternalIP, Address: "198.51.100.1"},
		{Type: cloud.AddressInternalDNS, Address: "ip-10-0-0-1.ec2.internal"}, {Type: cloud.AddressHostname, Address: "ip-10-0-0-1.ec2.internal"},
		{Type: cloud.AddressExternalDNS, Address: "ec2-198-51-100-1.compute-1.amazonaws.com"},
	}
	v6 := []cloud.Address{
		{Type: cloud.AddressInternalIP, Address: "2001:db8::1"}, {Type: cloud.AddressInternalIP, Address: "2001:db8::3"},
		{Type: cloud.AddressInternalIP, Address: "2001:db8::9"},
	}
	for _, c := range []struct {
		families []string
		want     []cloud.Address
	}{
		{[]string{"ipv4"}, v4},
		{[]string{"ipv6"}, v6},
		{[]string{"ipv4", "ipv6"}, append(append([]cloud.Address{}, v4...), v6...)},
		{[]string{"ipv6", "ipv4"}, append(append([]cloud.Address{}, v6...), v4...)},
		{[]string{"ipv5"}, nil},
	} {
		if difference := cmp.Diff(c.want, addresses(instance, c.families)); difference != "" {
			t.Errorf("%v (-want +got):\n%s", c.families, difference)
		}
	}
	// What was not said leaves no trace.
	if got := addresses(&ec2types.Instance{PublicDnsName: aws.String("")}, []string{"ipv4", "ipv6"}); got != nil {
		t.Errorf("addresses of nothing: %v", got)
	}
}

func TestState(t *testing.T) {
	for name, want := range map[ec2types.InstanceStateName]cloud.State{
		ec2types.InstanceStateNamePending: cloud.StatePending, ec2types.InstanceStateNameRunning: cloud.StateRunning,
		ec2types.InstanceStateNameShuttingDown: cloud.StateRunning, ec2types.InstanceStateNameStopping: cloud.StateRunning,
		ec2types.InstanceStateNameStopped: cloud.StateStopped,
	} {
		if got := state(&ec2types.InstanceState{Name: name}); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
}
