package gce_test

import (
	"testing"

	"google.golang.org/api/compute/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// instance is the smallest machine the library can ask for.
func instance(name, zone string) *compute.Instance {
	return &compute.Instance{
		Name: name, MachineType: "zones/" + zone + "/machineTypes/e2-medium",
		NetworkInterfaces: []*compute.NetworkInterface{{AccessConfigs: []*compute.AccessConfig{{}}}},
	}
}

func TestVendorReadsAndChangesInstances(t *testing.T) {
	_, v := start(t, gce.Options{})
	v.done(v.Instances.Insert(project, zone, instance("one", zone)))
	got := must(v.Instances.Get(project, zone, "one").Do())(t)
	is(t, "status", got.Status, "RUNNING")
	is(t, "zone", last(got.Zone), zone)
	is(t, "internal address", got.NetworkInterfaces[0].NetworkIP, "10.128.0.2")
	is(t, "external address", got.NetworkInterfaces[0].AccessConfigs[0].NatIP, "34.64.0.1")
	is(t, "self link", got.SelfLink, "https://www.googleapis.com/compute/v1/projects/test-project/zones/us-central1-a/instances/one")
	v.done(v.Instances.SetTags(project, zone, "one", &compute.Tags{Items: []string{"node"}, Fingerprint: got.Tags.Fingerprint}))
	v.done(v.Instances.Stop(project, zone, "one"))
	list := must(v.Instances.List(project, zone).Filter("status = TERMINATED").Do())(t)
	is(t, "stopped machines", len(list.Items), 1)
	is(t, "tag", list.Items[0].Tags.Items[0], "node")
	v.done(v.Instances.Start(project, zone, "one"))
	v.done(v.Instances.Delete(project, zone, "one"))
	_, err := v.Instances.Get(project, zone, "one").Do()
	is(t, "status of what is gone", refusal(t, err).Code, 404)
}

func TestVendorReadsSurroundings(t *testing.T) {
	_, v := start(t, gce.Options{})
	is(t, "project number", must(v.Projects.Get(project).Do())(t).Id, uint64(1000000000001))
	is(t, "project by number", must(v.Projects.Get("1000000000001").Do())(t).Name, project)
	is(t, "zones", len(must(v.Zones.List(project).Do())(t).Items), 6)
	is(t, "zone", last(must(v.Zones.Get(project, zone).Do())(t).Region), region)
	is(t, "regions", len(must(v.Regions.List(project).Do())(t).Items), 2)
	is(t, "zones of a region", len(must(v.Regions.Get(project, region).Do())(t).Zones), 3)
	is(t, "subnetworks of the default network", len(must(v.Networks.Get(project, "default").Do())(t).Subnetworks), 2)
	is(t, "networks", len(must(v.Networks.List(project).Do())(t).Items), 1)
}

func TestVendorChangesNetworks(t *testing.T) {
	_, v := start(t, gce.Options{})
	v.done(v.Networks.Insert(project, &compute.Network{Name: "own", AutoCreateSubnetworks: false, ForceSendFields: []string{"AutoCreateSubnetworks"}}))
	subnet := &compute.Subnetwork{
		Name: "nodes", Network: "global/networks/own", IpCidrRange: "10.0.0.0/24",
		SecondaryIpRanges: []*compute.SubnetworkSecondaryRange{{RangeName: "pods", IpCidrRange: "10.4.0.0/14"}},
	}
	v.done(v.Subnetworks.Insert(project, region, subnet))
	got := must(v.Subnetworks.Get(project, region, "nodes").Do())(t)
	is(t, "gateway", got.GatewayAddress, "10.0.0.1")
	change := &compute.Subnetwork{Fingerprint: got.Fingerprint, SecondaryIpRanges: append(got.SecondaryIpRanges, &compute.SubnetworkSecondaryRange{RangeName: "more", IpCidrRange: "10.8.0.0/14"})}
	v.done(v.Subnetworks.Patch(project, region, "nodes", change))
	is(t, "secondary ranges", len(must(v.Subnetworks.Get(project, region, "nodes").Do())(t).SecondaryIpRanges), 2)
	is(t, "subnetworks", len(must(v.Subnetworks.List(project, region).Do())(t).Items), 2)
	all := must(v.Subnetworks.AggregatedList(project).Do())(t)
	is(t, "subnetworks of a region", len(all.Items["regions/us-central1"].Subnetworks), 2)

	machine := instance("one", zone)
	machine.NetworkInterfaces[0].Subnetwork = "regions/us-central1/subnetworks/nodes"
	machine.NetworkInterfaces[0].AliasIpRanges = []*compute.AliasIpRange{{SubnetworkRangeName: "pods", IpCidrRange: "10.4.1.0/24"}}
	v.done(v.Instances.Insert(project, zone, machine))
	is(t, "reason", v.refused(v.Subnetworks.Delete(project, region, "nodes")).Errors[0].Reason, "resourceInUseByAnotherResource")
	is(t, "reason", v.refused(v.Networks.Delete(project, "own")).Errors[0].Reason, "resourceInUseByAnotherResource")
	v.done(v.Instances.Delete(project, zone, "one"))
	v.done(v.Subnetworks.Delete(project, region, "nodes"))
	v.done(v.Networks.Delete(project, "own"))
}

func TestVendorChangesFirewalls(t *testing.T) {
	_, v := start(t, gce.Options{})
	rule := &compute.Firewall{
		Name: "k8s-fw-a", Description: "d", Allowed: []*compute.FirewallAllowed{{IPProtocol: "tcp", Ports: []string{"80", "443-445"}}},
		SourceRanges: []string{"10.0.0.0/8"}, DestinationRanges: []string{"34.64.0.1"}, TargetTags: []string{"node"},
	}
	v.done(v.Firewalls.Insert(project, rule))
	got := must(v.Firewalls.Get(project, "k8s-fw-a").Do())(t)
	is(t, "priority", got.Priority, int64(1000))
	is(t, "direction", got.Direction, "INGRESS")
	is(t, "network", last(got.Network), "default")
	v.done(v.Firewalls.Patch(project, "k8s-fw-a", &compute.Firewall{Name: "k8s-fw-a", SourceRanges: []string{"192.0.2.0/24"}}))
	patched := must(v.Firewalls.Get(project, "k8s-fw-a").Do())(t)
	is(t, "patched range", patched.SourceRanges[0], "192.0.2.0/24")
	is(t, "tag that a patch leaves", patched.TargetTags[0], "node")
	v.done(v.Firewalls.Update(project, "k8s-fw-a", &compute.Firewall{Name: "k8s-fw-a", Allowed: rule.Allowed}))
	updated := must(v.Firewalls.Get(project, "k8s-fw-a").Do())(t)
	is(t, "default range of an update", updated.SourceRanges[0], "0.0.0.0/0")
	is(t, "tags that an update leaves out", len(updated.TargetTags), 0)
	is(t, "firewalls", len(must(v.Firewalls.List(project).Filter("name eq k8s-.*").Do())(t).Items), 1)
	v.done(v.Firewalls.Delete(project, "k8s-fw-a"))
}

func TestVendorChangesRoutes(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(1)
	v.done(v.Routes.Insert(project, &compute.Route{
		Name: "kubernetes-1", DestRange: "10.4.0.0/24", Network: "global/networks/default", NextHopInstance: "zones/us-central1-a/instances/node-0", Priority: 1000,
		Description: "k8s-node-route",
	}))
	got := must(v.Routes.Get(project, "kubernetes-1").Do())(t)
	is(t, "warning", got.Warnings[0].Code, "NEXT_HOP_CANNOT_IP_FORWARD")
	filter := "(name eq kubernetes-.*)(network eq https://www.googleapis.com/compute/v1/projects/test-project/global/networks/default)(description eq k8s-node-route)"
	is(t, "routes", len(must(v.Routes.List(project).Filter(filter).Do())(t).Items), 1)
	v.done(v.Routes.Delete(project, "kubernetes-1"))
}

func TestVendorBuildsAnExternalBalancer(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(2)
	v.done(v.HttpHealthChecks.Insert(project, &compute.HttpHealthCheck{Name: "k8s-c-node", Port: 10256, RequestPath: "/healthz", CheckIntervalSec: 8, TimeoutSec: 1}))
	v.done(v.HttpHealthChecks.Update(project, "k8s-c-node", &compute.HttpHealthCheck{Name: "k8s-c-node", Port: 10257, RequestPath: "/healthz"}))
	v.done(v.HttpHealthChecks.Patch(project, "k8s-c-node", &compute.HttpHealthCheck{UnhealthyThreshold: 3}))
	check := must(v.HttpHealthChecks.Get(project, "k8s-c-node").Do())(t)
	is(t, "port", check.Port, int64(10257))
	is(t, "threshold", check.UnhealthyThreshold, int64(3))
	is(t, "health checks", len(must(v.HttpHealthChecks.List(project).Do())(t).Items), 1)

	v.done(v.TargetPools.Insert(project, region, &compute.TargetPool{Name: "a1", Instances: []string{"/zones/us-central1-a/instances/node-0"}, HealthChecks: []string{check.SelfLink}, SessionAffinity: "CLIENT_IP"}))
	node := []*compute.InstanceReference{{Instance: "zones/us-central1-a/instances/node-1"}}
	v.done(v.TargetPools.AddInstance(project, region, "a1", &compute.TargetPoolsAddInstanceRequest{Instances: node}))
	is(t, "members", len(must(v.TargetPools.Get(project, region, "a1").Do())(t).Instances), 2)
	health := must(v.TargetPools.GetHealth(project, region, "a1", node[0]).Do())(t)
	is(t, "health", health.HealthStatus[0].HealthState, "HEALTHY")
	v.done(v.TargetPools.RemoveInstance(project, region, "a1", &compute.TargetPoolsRemoveInstanceRequest{Instances: node}))
	ref := []*compute.HealthCheckReference{{HealthCheck: check.SelfLink}}
	is(t, "reason", v.refused(v.HttpHealthChecks.Delete(project, "k8s-c-node")).Errors[0].Reason, "resourceInUseByAnotherResource")
	v.done(v.TargetPools.RemoveHealthCheck(project, region, "a1", &compute.TargetPoolsRemoveHealthCheckRequest{HealthChecks: ref}))
	v.done(v.TargetPools.AddHealthCheck(project, region, "a1", &compute.TargetPoolsAddHealthCheckRequest{HealthChecks: ref}))
	is(t, "pools", len(must(v.TargetPools.List(project, region).Do())(t).Items), 1)
	is(t, "pools of all regions", len(must(v.TargetPools.AggregatedList(project).Do())(t).Items["regions/us-central1"].TargetPools), 1)

	v.done(v.ForwardingRules.Insert(project, region, &compute.ForwardingRule{Name: "a1", IPProtocol: "TCP", PortRange: "80", Target: "regions/us-central1/targetPools/a1"}))
	rule := must(v.ForwardingRules.Get(project, region, "a1").Do())(t)
	is(t, "ports", rule.PortRange, "80-80")
	is(t, "tier", rule.NetworkTier, "PREMIUM")
	v.done(v.ForwardingRules.SetLabels(project, region, "a1", &compute.RegionSetLabelsRequest{Labels: map[string]string{"cluster": "c"}, LabelFingerprint: rule.LabelFingerprint}))

	// An address is held around the replacement of a rule: promoted, used again, demoted.
	v.done(v.Addresses.Insert(project, region, &compute.Address{Name: "a1", Address: rule.IPAddress}))
	is(t, "status", must(v.Addresses.Get(project, region, "a1").Do())(t).Status, "IN_USE")
	v.done(v.ForwardingRules.Delete(project, region, "a1"))
	is(t, "status", must(v.Addresses.List(project, region).Filter("address eq " + rule.IPAddress).Do())(t).Items[0].Status, "RESERVED")
	v.done(v.TargetPools.Insert(project, region, &compute.TargetPool{Name: "a2"}))
	v.done(v.ForwardingRules.Insert(project, region, &compute.ForwardingRule{Name: "a1", IPAddress: rule.IPAddress, IPProtocol: "TCP", PortRange: "80-81", Target: "regions/us-central1/targetPools/a1"}))
	v.done(v.ForwardingRules.SetTarget(project, region, "a1", &compute.TargetReference{Target: "regions/us-central1/targetPools/a2"}))
	address := must(v.Addresses.Get(project, region, "a1").Do())(t)
	v.done(v.Addresses.SetLabels(project, region, "a1", &compute.RegionSetLabelsRequest{Labels: map[string]string{"cluster": "c"}, LabelFingerprint: address.LabelFingerprint}))
	is(t, "addresses", len(must(v.Addresses.AggregatedList(project).Do())(t).Items["regions/us-central1"].Addresses), 1)
	v.done(v.Addresses.Delete(project, region, "a1"))
	is(t, "address", must(v.ForwardingRules.List(project, region).Do())(t).Items[0].IPAddress, rule.IPAddress)
	v.done(v.ForwardingRules.Delete(project, region, "a1"))
	v.done(v.TargetPools.Delete(project, region, "a1"))
	v.done(v.TargetPools.Delete(project, region, "a2"))
	v.done(v.HttpHealthChecks.Delete(project, "k8s-c-node"))
}

func TestVendorBuildsAnInternalBalancer(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(2)
	v.done(v.HealthChecks.Insert(project, &compute.HealthCheck{Name: "hc", Type: "HTTP", HttpHealthCheck: &compute.HTTPHealthCheck{Port: 10256, RequestPath: "/healthz"}}))
	v.done(v.HealthChecks.Patch(project, "hc", &compute.HealthCheck{CheckIntervalSec: 8}))
	v.done(v.HealthChecks.Update(project, "hc", &compute.HealthCheck{Name: "hc", Type: "TCP", TcpHealthCheck: &compute.TCPHealthCheck{Port: 10256}}))
	is(t, "health checks", len(must(v.HealthChecks.List(project).Do())(t).Items), 1)
	check := must(v.HealthChecks.Get(project, "hc").Do())(t)
	is(t, "interval", check.CheckIntervalSec, int64(5))

	v.done(v.InstanceGroups.Insert(project, zone, &compute.InstanceGroup{Name: "k8s-ig--c"}))
	both := []*compute.InstanceReference{{Instance: "zones/us-central1-a/instances/node-0"}, {Instance: "zones/us-central1-a/instances/node-1"}}
	v.done(v.InstanceGroups.AddInstances(project, zone, "k8s-ig--c", &compute.InstanceGroupsAddInstancesRequest{Instances: both}))
	v.done(v.InstanceGroups.RemoveInstances(project, zone, "k8s-ig--c", &compute.InstanceGroupsRemoveInstancesRequest{Instances: both[1:]}))
	group := must(v.InstanceGroups.Get(project, zone, "k8s-ig--c").Do())(t)
	is(t, "size", group.Size, int64(1))
	v.done(v.InstanceGroups.SetNamedPorts(project, zone, "k8s-ig--c", &compute.InstanceGroupsSetNamedPortsRequest{Fingerprint: group.Fingerprint, NamedPorts: []*compute.NamedPort{{Name: "http", Port: 80}}}))
	members := must(v.InstanceGroups.ListInstances(project, zone, "k8s-ig--c", &compute.InstanceGroupsListInstancesRequest{InstanceState: "RUNNING"}).Do())(t)
	is(t, "member", last(members.Items[0].Instance), "node-0")
	is(t, "groups", len(must(v.InstanceGroups.List(project, zone).Do())(t).Items), 1)
	is(t, "groups of all zones", len(must(v.InstanceGroups.AggregatedList(project).Do())(t).Items["zones/us-central1-a"].InstanceGroups), 1)

	service := &compute.BackendService{Name: "bs", Protocol: "TCP", LoadBalancingScheme: "INTERNAL", HealthChecks: []string{check.SelfLink}, Backends: []*compute.Backend{{Group: group.SelfLink}}}
	v.done(v.RegionBackendServices.Insert(project, region, service))
	got := must(v.RegionBackendServices.Get(project, region, "bs").Do())(t)
	got.SessionAffinity = "CLIENT_IP"
	v.done(v.RegionBackendServices.Update(project, region, "bs", got)) // the whole object, as upstream sends it
	is(t, "fingerprint", v.refused(v.RegionBackendServices.Update(project, region, "bs", got)).Code, 412)
	now := must(v.RegionBackendServices.List(project, region).Do())(t).Items[0]
	v.done(v.RegionBackendServices.Patch(project, region, "bs", &compute.BackendService{Fingerprint: now.Fingerprint, ConnectionDraining: &compute.ConnectionDraining{DrainingTimeoutSec: 60}}))
	health := must(v.RegionBackendServices.GetHealth(project, region, "bs", &compute.ResourceGroupReference{Group: group.SelfLink}).Do())(t)
	is(t, "health", health.HealthStatus[0].HealthState, "HEALTHY")

	v.done(v.Addresses.Insert(project, region, &compute.Address{Name: "ilb", AddressType: "INTERNAL"}))
	address := must(v.Addresses.Get(project, region, "ilb").Do())(t)
	v.done(v.ForwardingRules.Insert(project, region, &compute.ForwardingRule{Name: "ilb", LoadBalancingScheme: "INTERNAL", BackendService: got.SelfLink, Ports: []string{"80"}, IPAddress: address.Address}))
	v.done(v.ForwardingRules.Patch(project, region, "ilb", &compute.ForwardingRule{AllowGlobalAccess: true}))
	rule := must(v.ForwardingRules.AggregatedList(project).Do())(t).Items["regions/us-central1"].ForwardingRules[0]
	is(t, "global access", rule.AllowGlobalAccess, true)
	is(t, "address", rule.IPAddress, address.Address)
	is(t, "subnetwork", last(rule.Subnetwork), "default")

	is(t, "reason", v.refused(v.InstanceGroups.Delete(project, zone, "k8s-ig--c")).Errors[0].Reason, "resourceInUseByAnotherResource")
	is(t, "reason", v.refused(v.RegionBackendServices.Delete(project, region, "bs")).Errors[0].Reason, "resourceInUseByAnotherResource")
	v.done(v.ForwardingRules.Delete(project, region, "ilb"))
	v.done(v.Addresses.Delete(project, region, "ilb"))
	v.done(v.RegionBackendServices.Delete(project, region, "bs"))
	v.done(v.InstanceGroups.Delete(project, zone, "k8s-ig--c"))
	v.done(v.HealthChecks.Delete(project, "hc"))
}

func TestVendorBuildsABalancerOnEndpointGroups(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(2)
	v.done(v.RegionHealthChecks.Insert(project, region, &compute.HealthCheck{Name: "hc", Type: "TCP"}))
	v.done(v.RegionHealthChecks.Patch(project, region, "hc", &compute.HealthCheck{TimeoutSec: 2}))
	v.done(v.RegionHealthChecks.Update(project, region, "hc", &compute.HealthCheck{Name: "hc", Type: "HTTP"}))
	is(t, "health checks", len(must(v.RegionHealthChecks.List(project, region).Do())(t).Items), 1)
	check := must(v.RegionHealthChecks.Get(project, region, "hc").Do())(t)
	is(t, "path", check.HttpHealthCheck.RequestPath, "/")

	v.done(v.NetworkEndpointGroups.Insert(project, zone, &compute.NetworkEndpointGroup{Name: "neg", NetworkEndpointType: "GCE_VM_IP"}))
	endpoints := []*compute.NetworkEndpoint{{Instance: "node-0"}, {Instance: "zones/us-central1-a/instances/node-1", IpAddress: "10.128.0.3"}}
	v.done(v.NetworkEndpointGroups.AttachNetworkEndpoints(project, zone, "neg", &compute.NetworkEndpointGroupsAttachEndpointsRequest{NetworkEndpoints: endpoints}))
	v.done(v.NetworkEndpointGroups.DetachNetworkEndpoints(project, zone, "neg", &compute.NetworkEndpointGroupsDetachEndpointsRequest{NetworkEndpoints: endpoints[1:]}))
	members := must(v.NetworkEndpointGroups.ListNetworkEndpoints(project, zone, "neg", &compute.NetworkEndpointGroupsListEndpointsRequest{}).Do())(t)
	is(t, "endpoint", members.Items[0].NetworkEndpoint.Instance, "node-0")
	is(t, "endpoint's address", members.Items[0].NetworkEndpoint.IpAddress, "10.128.0.2")
	group := must(v.NetworkEndpointGroups.Get(project, zone, "neg").Do())(t)
	is(t, "size", group.Size, int64(1))
	is(t, "groups", len(must(v.NetworkEndpointGroups.List(project, zone).Do())(t).Items), 1)
	is(t, "groups of all zones", len(must(v.NetworkEndpointGroups.AggregatedList(project).Do())(t).Items["zones/us-central1-a"].NetworkEndpointGroups), 1)

	v.done(v.RegionBackendServices.Insert(project, region, &compute.BackendService{Name: "bs", Protocol: "UNSPECIFIED", HealthChecks: []string{check.SelfLink}, Backends: []*compute.Backend{{Group: group.SelfLink}}}))
	for _, protocol := range []string{"TCP", "UDP"} {
		rule := &compute.ForwardingRule{Name: "rule-" + map[string]string{"TCP": "t", "UDP": "u"}[protocol], IPProtocol: protocol, Ports: []string{"53"}, BackendService: "regions/us-central1/backendServices/bs", LoadBalancingScheme: "EXTERNAL"}
		if protocol == "UDP" { // both on one address, which must be reserved for that
			v.done(v.Addresses.Insert(project, region, &compute.Address{Name: "both", Address: must(v.ForwardingRules.Get(project, region, "rule-t").Do())(t).IPAddress}))
			rule.IPAddress = "both"
		}
		v.done(v.ForwardingRules.Insert(project, region, rule))
	}
	is(t, "users of the address", len(must(v.Addresses.Get(project, region, "both").Do())(t).Users), 2)
	server.Remove("projects/test-project/zones/us-central1-a/instances/node-0")
	is(t, "size without the machine", must(v.NetworkEndpointGroups.Get(project, zone, "neg").Do())(t).Size, int64(0))
	for _, name := range []string{"rule-t", "rule-u"} {
		v.done(v.ForwardingRules.Delete(project, region, name))
	}
	v.done(v.RegionBackendServices.Delete(project, region, "bs"))
	v.done(v.NetworkEndpointGroups.Delete(project, zone, "neg"))
	v.done(v.RegionHealthChecks.Delete(project, region, "hc"))
}
