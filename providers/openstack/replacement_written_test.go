package openstack

import (
	"io"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	octavia "github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/session"
)

// place answers with a subnet and a port of that id wherever they are asked for, and with no other object.
type place string

func (id place) RoundTrip(r *http.Request) (*http.Response, error) {
	subnet := `{"id": "` + string(id) + `", "network_id": "` + string(id) + `", "cidr": "10.0.0.0/16", "ip_version": 4}`
	port := `{"id": "` + string(id) + `", "fixed_ips": [{"ip_address": "10.0.0.11", "subnet_id": "` + string(id) + `"}], "security_groups": []}`
	text := `{"subnets": [` + strings.ReplaceAll(strings.ReplaceAll(subnet, "10.0.0.0/16", "2001:db8::/64"), ": 4", ": 6") + `], "ports": [` + port + `], "floatingips": [], "security_groups": [], "security_group_rules": []}`
	switch path.Base(path.Dir(r.URL.Path)) {
	case "subnets":
		text = `{"subnet": ` + subnet + `}`
	case "ports":
		text = `{"port": ` + port + `}`
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text)), Request: r, Header: http.Header{"Content-Type": {"application/json"}}}, nil
}

// TestWritten: what is on Services and in plans is read by later versions.
func TestWritten(t *testing.T) {
	const id, other = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
	client := &gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{TokenID: "token", HTTPClient: http.Client{Transport: place(id)}}, Endpoint: "http://127.0.0.1/v2.0/",
	}
	d := wireDriver(&session.Services{Balancer: client, Network: client, Octavia: api.V(2, 26)}, config.Config{
		Balancer: config.Balancer{Enabled: true, Provider: "amphora", ManageSecurityGroups: true, Placement: config.Placement{Subnet: id, FloatingNetwork: id}},
	}, false, "kubernetes", "openstack")
	conformance.Written{
		Driver: d.handOver(nil), Descriptor: Descriptor(), Annotations: Annotations(), ID: "00000000-0000-4000-8000-00000000000%d",
		Before: cloud.Observed{
			Findings: desired.Found.Seal(desired.Findings{MemberCIDR: "10.0.0.0/16"}),
			Native:   octavia.Native.Seal(&octavia.Snapshot{Security: octavia.Security{Ports: []neutron.Port{{ID: id, FixedIPs: []neutron.FixedIP{{Address: netip.MustParseAddr("10.0.0.11")}}}}}}),
		},
		From:        map[string]string{option.Flavor.Name: id, option.Zone.Name: "az1", option.Subnet.Name: id, option.Network.Name: id, option.WantedAddress.Name: "172.24.0.8"},
		To:          map[string]string{option.Flavor.Name: other, option.Zone.Name: "az2", option.Subnet.Name: other, option.Network.Name: other, option.WantedAddress.Name: "172.24.0.9"},
		Replacement: `{"request":"4bc03d446168e450a753d9c9b68b7fd135c0ccb5c945a3ec23980024f378acd6","of":"00000000-0000-4000-8000-000000000001","was":{"address":"","dualStack":"false","flavor":"00000000-0000-4000-8000-00000000000a","floatingIP":"172.24.0.8","network":"00000000-0000-4000-8000-00000000000a","port":"","provider":"amphora","subnet":"00000000-0000-4000-8000-00000000000a","zone":"az1"}}`,
		Services: []map[string]string{
			nil,
			{
				option.Flavor.Name: id, option.Zone.Name: "az1", option.Network.Name: id, option.Monitor.Name: "true", option.MonitorPath.Name: "/ready",
				option.WantedAddress.Name: "172.24.0.8", option.TLS.Name: "https://host/v1/containers/" + id,
			},
			{option.Port.Name: id, option.Internal.Name: "true", option.WantedAddress.Name: "10.0.0.9"},
		},
		Fields: `
			balancer: address allow deny dualStack flavor floatingIP marks memberFamily name network port provider scope subnet zone
			listener: allowedCIDRs connectionLimit forwardedFor health.healthy health.interval health.path health.port health.protocol health.timeout
				health.unhealthy method persistence protocol tagged targetPort targetProtocol timeoutClientData timeoutMemberConnect timeoutMemberData
				timeoutTCPInspect tlsContainer
			resource floating IP: description floating_ip_address floating_network_id port_id
			resource health monitor: delay expected_codes http_method max_retries max_retries_down name pool_id timeout type url_path
			resource listener: allowed_cidrs connection_limit default_pool_id default_tls_container_ref insert_headers loadbalancer_id name protocol
				protocol_port tags timeout_client_data timeout_member_connect timeout_member_data timeout_tcp_inspect
			resource load balancer: additional_vips availability_zone description flavor_id name provider tags vip_address vip_network_id vip_port_id
				vip_subnet_id
			resource member: address admin_state_up backup monitor_port name pool_id protocol_port subnet_id weight
			resource pool: lb_algorithm loadbalancer_id name protocol session_persistence
			resource port in the security group: group
			resource security group: description name
			resource security group rule: Description Group
		`,
	}.Check(t)
}
