package octavia

import (
	"maps"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// TestBodies: what is sent, to the byte, to make and to change a resource of each kind. Something is missing or different in a
// balancer that is otherwise as it has to be.
func TestBodies(t *testing.T) {
	type options = map[string]string
	const certificate = "https://host/v1/containers/"
	as := func(*object.Snapshot, *object.Pool) {}
	for name, test := range map[string]struct {
		serial, external, guarded, notSticky bool
		options                              options
		edit                                 func(*object.Snapshot, *object.Pool) // nil where there is no balancer
		want                                 []string
	}{
		"all as it has to be": {edit: as},
		"no balancer": {external: true, options: options{option.FloatingNetwork.Name: idPublic, option.ForwardedFor.Name: "true", option.MonitorPath.Name: "/ready", option.MemberSubnet.Name: idNodes}, want: []string{
			`POST /lbaas/loadbalancers {"loadbalancer":{"description":"Kubernetes external service shop/web from cluster kubernetes","listeners":[{"allowed_cidrs":["0.0.0.0/0"],"connection_limit":-1,"default_pool":{"healthmonitor":{"delay":5,"expected_codes":"200","http_method":"GET","max_retries":1,"max_retries_down":3,"name":"monitor_0_kube_service_kubernetes_shop_web","timeout":3,"type":"HTTP","url_path":"/ready"},"lb_algorithm":"ROUND_ROBIN","members":[{"address":"10.10.0.11","admin_state_up":true,"backup":false,"monitor_port":30080,"name":"one","protocol_port":30080,"subnet_id":"00000000-0000-4000-8000-000000000005","weight":1}],"name":"pool_0_kube_service_kubernetes_shop_web","protocol":"HTTP","session_persistence":{"type":"SOURCE_IP"}},"insert_headers":{"X-Forwarded-For":"true"},"name":"listener_0_kube_service_kubernetes_shop_web","protocol":"HTTP","protocol_port":80,"tags":["kube_service_kubernetes_shop_web"],"timeout_client_data":50000,"timeout_member_connect":5000,"timeout_member_data":50000,"timeout_tcp_inspect":0}],"name":"kube_service_kubernetes_shop_web","provider":"amphora","tags":["ccm:cloud=openstack\u0026cluster=prod\u0026name=web\u0026namespace=shop\u0026uid=u-1","kube_service_kubernetes_shop_web"],"vip_subnet_id":"00000000-0000-4000-8000-000000000004"}}`,
			`POST /floatingips {"floatingip":{"description":"Floating IP for Kubernetes external service shop/web from cluster kubernetes (uid u-1, cluster prod)","floating_network_id":"00000000-0000-4000-8000-000000000001","port_id":"vip"}}`,
		}},
		"no balancer, of several requests": {serial: true, options: options{option.Flavor.Name: idFlavor, option.Zone.Name: "az1", option.Network.Name: idNodes}, want: []string{
			`POST /lbaas/loadbalancers {"loadbalancer":{"availability_zone":"az1","description":"Kubernetes external service shop/web from cluster kubernetes","flavor_id":"00000000-0000-4000-8000-000000000006","name":"kube_service_kubernetes_shop_web","provider":"amphora","tags":["ccm:cloud=openstack\u0026cluster=prod\u0026name=web\u0026namespace=shop\u0026uid=u-1","kube_service_kubernetes_shop_web"],"vip_network_id":"00000000-0000-4000-8000-000000000005","vip_subnet_id":"00000000-0000-4000-8000-000000000004"}}`,
			`POST /lbaas/pools {"pool":{"lb_algorithm":"ROUND_ROBIN","loadbalancer_id":"made","name":"pool_0_kube_service_kubernetes_shop_web","protocol":"TCP","session_persistence":{"type":"SOURCE_IP"}}}`,
			`POST /lbaas/pools/made/members {"member":{"address":"10.10.0.11","admin_state_up":true,"backup":false,"name":"one","protocol_port":30080,"weight":1}}`,
			`POST /lbaas/healthmonitors {"healthmonitor":{"delay":5,"max_retries":1,"max_retries_down":3,"name":"monitor_0_kube_service_kubernetes_shop_web","pool_id":"made","timeout":3,"type":"TCP"}}`,
			`POST /lbaas/listeners {"listener":{"allowed_cidrs":["0.0.0.0/0"],"connection_limit":-1,"default_pool_id":"made","loadbalancer_id":"made","name":"listener_0_kube_service_kubernetes_shop_web","protocol":"TCP","protocol_port":80,"tags":["kube_service_kubernetes_shop_web"],"timeout_client_data":50000,"timeout_member_connect":5000,"timeout_member_data":50000,"timeout_tcp_inspect":0}}`,
		}},
		"a balancer of fewer tags": {edit: func(s *object.Snapshot, _ *object.Pool) { s.LB.Tags = s.LB.Tags[:1] }, want: []string{
			`PUT /lbaas/loadbalancers/lb {"loadbalancer":{"tags":["ccm:cloud=openstack\u0026cluster=prod\u0026name=web\u0026namespace=shop\u0026uid=u-1","kube_service_kubernetes_shop_web"]}}`,
		}},
		"a balancer of another name": {edit: func(s *object.Snapshot, _ *object.Pool) { s.LB.Name = "kube_service_old_shop_web" }, want: []string{
			`PUT /lbaas/loadbalancers/lb {"loadbalancer":{"name":"kube_service_kubernetes_shop_web"}}`,
		}},
		"no pool": {edit: func(s *object.Snapshot, _ *object.Pool) { s.Listeners[0].Pool, s.Pools = "", nil }, want: []string{
			`POST /lbaas/pools {"pool":{"lb_algorithm":"ROUND_ROBIN","loadbalancer_id":"lb","name":"pool_0_kube_service_kubernetes_shop_web","protocol":"TCP","session_persistence":{"type":"SOURCE_IP"}}}`,
			`PUT /lbaas/pools/made/members {"members":[{"address":"10.10.0.11","admin_state_up":true,"backup":false,"monitor_port":null,"name":"one","protocol_port":30080,"weight":1}]}`,
			`POST /lbaas/healthmonitors {"healthmonitor":{"delay":5,"max_retries":1,"max_retries_down":3,"name":"monitor_0_kube_service_kubernetes_shop_web","pool_id":"made","timeout":3,"type":"TCP"}}`,
			`PUT /lbaas/listeners/listener {"listener":{"default_pool_id":"made"}}`,
		}},
		"no pool, without persistence": {notSticky: true, edit: func(s *object.Snapshot, _ *object.Pool) { s.Listeners[0].Pool, s.Pools = "", nil }, want: []string{
			`POST /lbaas/pools {"pool":{"lb_algorithm":"ROUND_ROBIN","loadbalancer_id":"lb","name":"pool_0_kube_service_kubernetes_shop_web","protocol":"TCP"}}`,
			`PUT /lbaas/pools/made/members {"members":[{"address":"10.10.0.11","admin_state_up":true,"backup":false,"monitor_port":null,"name":"one","protocol_port":30080,"weight":1}]}`,
			`POST /lbaas/healthmonitors {"healthmonitor":{"delay":5,"max_retries":1,"max_retries_down":3,"name":"monitor_0_kube_service_kubernetes_shop_web","pool_id":"made","timeout":3,"type":"TCP"}}`,
			`PUT /lbaas/listeners/listener {"listener":{"default_pool_id":"made"}}`,
		}},
		"a pool without persistence": {edit: func(_ *object.Snapshot, p *object.Pool) { p.Method, p.Persistence = "LEAST_CONNECTIONS", "" }, want: []string{
			`PUT /lbaas/pools/pool {"pool":{"lb_algorithm":"ROUND_ROBIN","session_persistence":{"type":"SOURCE_IP"}}}`,
		}},
		"a pool with persistence": {notSticky: true, edit: as, want: []string{
			`PUT /lbaas/pools/pool {"pool":{"session_persistence":null}}`,
		}},
		"no member": {edit: func(s *object.Snapshot, _ *object.Pool) { s.Members = nil }, want: []string{
			`PUT /lbaas/pools/pool/members {"members":[{"address":"10.10.0.11","admin_state_up":true,"backup":false,"monitor_port":null,"name":"one","protocol_port":30080,"weight":1}]}`,
		}},
		"no member, checked elsewhere, in a subnet": {options: options{option.MonitorPort.Name: "80", option.MemberSubnet.Name: idNode}, edit: func(s *object.Snapshot, _ *object.Pool) { s.Members = nil }, want: []string{
			`PUT /lbaas/pools/pool/members {"members":[{"address":"10.10.0.11","admin_state_up":true,"backup":false,"monitor_port":30080,"name":"one","protocol_port":30080,"subnet_id":"00000000-0000-4000-8000-000000000004","weight":1}]}`,
		}},
		"a member, by itself": {serial: true, edit: func(s *object.Snapshot, _ *object.Pool) {
			s.Members["pool"][0].MonitorPort, s.Members["pool"][0].Weight = 10256, 0
		}, want: []string{
			`PUT /lbaas/pools/pool/members/member {"member":{"monitor_port":null,"weight":1}}`,
		}},
		"a member, by itself, to be checked elsewhere": {serial: true, options: options{option.MonitorPort.Name: "80"}, edit: as, want: []string{
			`PUT /lbaas/pools/pool/members/member {"member":{"monitor_port":30080}}`,
		}},
		"no monitor of HTTP": {options: options{option.MonitorPath.Name: "/ready"}, edit: func(s *object.Snapshot, _ *object.Pool) { s.Members["pool"][0].MonitorPort, s.Monitors = 30080, nil }, want: []string{
			`POST /lbaas/healthmonitors {"healthmonitor":{"delay":5,"expected_codes":"200","http_method":"GET","max_retries":1,"max_retries_down":3,"name":"monitor_0_kube_service_kubernetes_shop_web","pool_id":"pool","timeout":3,"type":"HTTP","url_path":"/ready"}}`,
		}},
		"another monitor": {options: options{option.MonitorDelay.Name: "7", option.MonitorRetries.Name: "2"}, edit: as, want: []string{
			`PUT /lbaas/healthmonitors/monitor {"healthmonitor":{"delay":7,"max_retries":2}}`,
		}},
		"a listener that leads nowhere": {edit: func(s *object.Snapshot, p *object.Pool) { s.Listeners[0].Pool, p.Listeners = "", nil }, want: []string{
			`PUT /lbaas/listeners/listener {"listener":{"default_pool_id":"pool"}}`,
		}},
		"a listener that leads elsewhere": {edit: func(s *object.Snapshot, p *object.Pool) {
			s.Listeners[0].Pool, p.Listeners = "other", nil
			s.Pools["other"] = object.Pool{ID: "other", Protocol: "TCP", Listeners: []object.Reference{{ID: "listener"}, {ID: "another"}}}
		}, want: []string{
			`PUT /lbaas/listeners/listener {"listener":{"default_pool_id":"pool"}}`,
		}},
		"another listener": {options: options{option.ConnectionLimit.Name: "7", option.ClientData.Name: "9"}, edit: func(s *object.Snapshot, _ *object.Pool) {
			s.Listeners[0].Tags, s.Listeners[0].AllowedCIDRs = []string{"mine"}, []string{"10.0.0.0/8"}
		}, want: []string{
			`PUT /lbaas/listeners/listener {"listener":{"allowed_cidrs":["0.0.0.0/0"],"connection_limit":7,"tags":["mine","kube_service_kubernetes_shop_web"],"timeout_client_data":9}}`,
		}},
		"a listener of other headers": {options: options{option.ForwardedFor.Name: "true"}, edit: func(s *object.Snapshot, p *object.Pool) {
			p.Protocol, s.Listeners[0].Protocol, s.Listeners[0].InsertHeaders = "HTTP", "HTTP", map[string]string{"X-Mine": "true"}
		}, want: []string{
			`PUT /lbaas/listeners/listener {"listener":{"insert_headers":{"X-Forwarded-For":"true","X-Mine":"true"}}}`,
		}},
		"a listener of another protocol": {options: options{option.TLS.Name: certificate + idNone}, edit: func(_ *object.Snapshot, p *object.Pool) { p.Protocol = "HTTP" }, want: []string{
			`POST /lbaas/listeners {"listener":{"admin_state_up":false,"allowed_cidrs":["0.0.0.0/0"],"connection_limit":-1,"default_tls_container_ref":"https://host/v1/containers/00000000-0000-4000-8000-0000000000ff","loadbalancer_id":"lb","name":"trial_0_kube_service_kubernetes_shop_web","protocol":"TERMINATED_HTTPS","protocol_port":65535,"tags":["kube_service_kubernetes_shop_web"],"timeout_client_data":50000,"timeout_member_connect":5000,"timeout_member_data":50000,"timeout_tcp_inspect":0}}`,
			`DELETE /lbaas/listeners/listener`,
			`POST /lbaas/listeners {"listener":{"allowed_cidrs":["0.0.0.0/0"],"connection_limit":-1,"default_pool_id":"pool","default_tls_container_ref":"https://host/v1/containers/00000000-0000-4000-8000-0000000000ff","loadbalancer_id":"lb","name":"listener_0_kube_service_kubernetes_shop_web","protocol":"TERMINATED_HTTPS","protocol_port":80,"tags":["kube_service_kubernetes_shop_web"],"timeout_client_data":50000,"timeout_member_connect":5000,"timeout_member_data":50000,"timeout_tcp_inspect":0}}`,
			`DELETE /lbaas/listeners/made`,
		}},
		"a listener of another certificate": {options: options{option.TLS.Name: certificate + idNone}, edit: func(s *object.Snapshot, p *object.Pool) {
			p.Protocol, s.Listeners[0].Protocol, s.Listeners[0].TLSRef = "HTTP", "TERMINATED_HTTPS", certificate+idNode
		}, want: []string{
			`PUT /lbaas/listeners/listener {"listener":{"default_tls_container_ref":"https://host/v1/containers/00000000-0000-4000-8000-0000000000ff"}}`,
		}},
		"no floating IP": {external: true, options: options{option.FloatingNetwork.Name: idPublic}, edit: as, want: []string{
			`POST /floatingips {"floatingip":{"description":"Floating IP for Kubernetes external service shop/web from cluster kubernetes (uid u-1, cluster prod)","floating_network_id":"00000000-0000-4000-8000-000000000001","port_id":"00000000-0000-4000-8000-000000000008"}}`,
		}},
		"a free floating IP": {external: true, edit: func(s *object.Snapshot, _ *object.Pool) { s.Free = &object.FloatingIP{ID: "fip"} }, want: []string{
			`PUT /floatingips/fip {"floatingip":{"port_id":"00000000-0000-4000-8000-000000000008"}}`,
		}},
		"a floating IP too many": {edit: func(s *object.Snapshot, _ *object.Pool) { s.Floating = &object.FloatingIP{ID: "fip", Port: idVIP} }, want: []string{
			`PUT /floatingips/fip {"floatingip":{"port_id":null}}`,
		}},
		"no security group": {guarded: true, edit: as, want: []string{
			`POST /security-groups {"security_group":{"description":"Security Group for shop/web Service LoadBalancer in cluster kubernetes (uid u-1, cluster prod)","name":"lb-sg-u-1-shop-web"}}`,
			`POST /security-group-rules {"security_group_rule":{"direction":"ingress","ethertype":"IPv4","port_range_max":"30080","port_range_min":"30080","protocol":"tcp","remote_ip_prefix":"10.0.0.0/16","security_group_id":"made"}}`,
			`PUT /ports/port {"port":{"security_groups":["old","other","made"]}}`,
		}},
		"two security groups": {guarded: true, edit: func(s *object.Snapshot, _ *object.Pool) {
			s.Security.Groups = []object.SecurityGroup{{ID: "new"}, {ID: "old"}}
		}, want: []string{
			`PUT /security-groups/new {"security_group":{"description":"Security Group for shop/web Service LoadBalancer in cluster kubernetes (uid u-1, cluster prod)"}}`,
			`POST /security-group-rules {"security_group_rule":{"direction":"ingress","ethertype":"IPv4","port_range_max":"30080","port_range_min":"30080","protocol":"tcp","remote_ip_prefix":"10.0.0.0/16","security_group_id":"new"}}`,
			`PUT /ports/port {"port":{"security_groups":["old","other","new"]}}`,
			`PUT /ports/port {"port":{"security_groups":["other"]}}`,
			`DELETE /security-groups/old`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCase(t, checked())
			c.driver.Config.Serial, c.driver.Config.ManageSecurityGroups = test.serial, test.guarded
			in := specOf(options{option.Monitor.Name: "true", option.Subnet.Name: idNode, option.Internal.Name: strconv.FormatBool(!test.external)})
			maps.Copy(in.Options, test.options)
			in.Ports, in.ClientIP = in.Ports[:1], !test.notSticky
			in.Candidates = []cloud.Target{{InstanceID: "one", NodeName: "one", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.10.0.11"}}}}
			s := &object.Snapshot{}
			if test.edit != nil {
				s = complete(c.driver, in.Spec)
				p := s.Pools["pool"]
				if test.edit(s, &p); s.Pools != nil {
					s.Pools["pool"] = p
				}
				in.ID = "lb"
				in.Findings = desired.Found.Seal(desired.Findings{MemberCIDR: "10.0.0.0/16"})
			}
			c.answers["POST /lbaas/loadbalancers"] = `{"loadbalancer": {"id": "made", "vip_port_id": "vip"}}`
			c.answers["GET /lbaas/loadbalancers/lb"] = `{"loadbalancer": {"id": "lb", "tags": ["` + strings.Join(s.LB.Tags, `", "`) + `"]}}`
			c.answers["GET /ports"] = `{"ports": [{"id": "port", "security_groups": ["old", "other"]}]}`
			after, _, err := c.driver.Normalize(in)
			if err != nil {
				t.Fatal(err)
			}
			after.Targets = []cloud.InstanceID{"one"}
			before := c.driver.observed(s, in)
			before.Found = test.edit != nil
			change := cloud.Change{Input: in, Before: before, After: &after}
			for goesOn := true; goesOn; goesOn = change.Rest != nil {
				progress, err := apply(t, c.driver, change)
				if err != nil {
					t.Error(err)
				}
				change.Rest = progress.Rest
			}
			c.wrote(name, test.want...)
		})
	}
}

// complete is a balancer with all that a spec of one port asks for: a member, a monitor and persistence.
func complete(d *Balancers, spec cloud.Spec) *object.Snapshot {
	s := serving(d, spec)
	p := s.Pools["pool"]
	p.Persistence = "SOURCE_IP"
	s.Pools["pool"] = p
	s.Members["pool"] = []object.Member{{ID: "member", Name: "one", Address: "10.10.0.11", Port: 30080, Weight: 1, Enabled: true}}
	s.Monitors["pool"] = object.Monitor{ID: "monitor", Name: d.OwnershipTags.ChildName("monitor", 0, web), Type: "TCP", Delay: 5, Timeout: 3, Retries: 1, RetriesDown: 3}
	s.Security.Ports = []neutron.Port{{ID: "port", Groups: []string{"old", "other"}, FixedIPs: []neutron.FixedIP{{Address: netip.MustParseAddr("10.10.0.11")}}}}
	return s
}

// sentBody are fields by name, as requests have them.
func sentBody(fields cloud.Fields) map[string]any {
	body := map[string]any{}
	for _, field := range fields.All() {
		body[field.Name()] = field.Any()
	}
	return body
}
