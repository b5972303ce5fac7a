package hcloud_test

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	sdk "github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// balancerOf creates a balancer and returns it.
func (a *api) balancerOf(opts sdk.LoadBalancerCreateOpts) *sdk.LoadBalancer {
	a.t.Helper()
	if opts.LoadBalancerType == nil {
		opts.LoadBalancerType = &sdk.LoadBalancerType{Name: "lb11"}
	}
	if opts.Location == nil && opts.NetworkZone == "" {
		opts.Location = &sdk.Location{Name: "nbg1"}
	}
	made, _, err := a.LoadBalancer.Create(a.t.Context(), opts)
	if err != nil {
		a.t.Fatal(err)
	}
	if err := a.Action.WaitFor(a.t.Context(), made.Action); err != nil {
		a.t.Fatal(err)
	}
	return made.LoadBalancer
}

// now reads a balancer anew.
func (a *api) now(b *sdk.LoadBalancer) *sdk.LoadBalancer {
	a.t.Helper()
	got, _, err := a.LoadBalancer.GetByID(a.t.Context(), b.ID)
	if err != nil || got == nil {
		a.t.Fatalf("load balancer %d: %v %v", b.ID, got, err)
	}
	return got
}

// done waits for the action of a call.
func (a *api) done(action *sdk.Action, _ *sdk.Response, err error) {
	a.t.Helper()
	if err == nil {
		err = a.Action.WaitFor(a.t.Context(), action)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

func path(b *sdk.LoadBalancer, action string) string {
	return fmt.Sprintf("/load_balancers/%d/actions/%s", b.ID, action)
}

func TestBalancerIsCreatedWhole(t *testing.T) {
	a := start(t, hcloud.Options{})
	network := a.AddNetwork(hcloud.Network{})
	seeded := a.SeedMachines(2)
	certificate := a.AddCertificate("site", "example.com")
	made := a.balancerOf(sdk.LoadBalancerCreateOpts{
		Name: "web", NetworkZone: sdk.NetworkZoneEUCentral, Labels: map[string]string{"hcloud-ccm/service-uid": "uid"},
		Algorithm: &sdk.LoadBalancerAlgorithm{Type: sdk.LoadBalancerAlgorithmTypeLeastConnections}, Network: &sdk.Network{ID: network.ID},
		Targets: []sdk.LoadBalancerCreateOptsTarget{
			{Type: sdk.LoadBalancerTargetTypeServer, Server: sdk.LoadBalancerCreateOptsTargetServer{Server: &sdk.Server{ID: seeded[0].ID}}, UsePrivateIP: sdk.Ptr(true)},
			{Type: sdk.LoadBalancerTargetTypeServer, Server: sdk.LoadBalancerCreateOptsTargetServer{Server: &sdk.Server{ID: seeded[1].ID}}},
		},
		Services: []sdk.LoadBalancerCreateOptsService{
			{Protocol: sdk.LoadBalancerServiceProtocolTCP, ListenPort: sdk.Ptr(22), DestinationPort: sdk.Ptr(30022)},
			{Protocol: sdk.LoadBalancerServiceProtocolHTTPS, DestinationPort: sdk.Ptr(30443), HTTP: &sdk.LoadBalancerCreateOptsServiceHTTP{
				Certificates: []*sdk.Certificate{{ID: certificate.ID}}, RedirectHTTP: sdk.Ptr(true), TimeoutIdle: sdk.Ptr(time.Minute),
			}},
		},
	})
	got := a.now(made)
	if got.Algorithm.Type != "least_connections" || got.Location.Name != "fsn1" || got.LoadBalancerType.MaxTargets != 25 || !got.PublicNet.Enabled {
		t.Errorf("%+v", got)
	}
	if len(got.PrivateNet) != 1 || got.PrivateNet[0].IP.String() != "10.0.0.2" || got.PublicNet.IPv4.IP == nil || got.PublicNet.IPv6.IP == nil {
		t.Errorf("addresses: %+v %+v", got.PublicNet, got.PrivateNet)
	}
	if len(got.Targets) != 2 || !got.Targets[0].UsePrivateIP || got.Targets[1].UsePrivateIP || len(got.Targets[0].HealthStatus) != 2 || got.Targets[0].HealthStatus[0].Status != "healthy" {
		t.Errorf("targets: %+v", got.Targets)
	}
	plain, tls := got.Services[0], got.Services[1]
	if want := (sdk.LoadBalancerServiceHealthCheck{Protocol: "tcp", Port: 30022, Interval: 15 * time.Second, Timeout: 10 * time.Second, Retries: 3}); plain.HealthCheck != want {
		t.Errorf("health check of tcp: %+v, want %+v", plain.HealthCheck, want)
	}
	if tls.ListenPort != 443 || tls.HTTP.CookieName != "HCLBSTICKY" || tls.HTTP.CookieLifetime != 5*time.Minute || !tls.HTTP.RedirectHTTP || tls.HealthCheck.Protocol != "http" || !slices.Equal(tls.HealthCheck.HTTP.StatusCodes, []string{"2??", "3??"}) {
		t.Errorf("https: %+v", tls)
	}
	found, _, err := a.LoadBalancer.List(t.Context(), sdk.LoadBalancerListOpts{ListOpts: sdk.ListOpts{LabelSelector: "hcloud-ccm/service-uid=uid"}})
	if err != nil || len(found) != 1 || found[0].ID != got.ID {
		t.Errorf("by label: %v %v", found, err)
	}
	used, _, err := a.Certificate.GetByName(t.Context(), "site")
	if err != nil || len(used.UsedBy) != 1 || used.UsedBy[0].ID != got.ID {
		t.Errorf("the certificate: %+v %v", used, err)
	}
	if read, _, _ := a.Network.GetByID(t.Context(), network.ID); len(read.LoadBalancers) != 1 {
		t.Errorf("the network: %+v", read)
	}
	if one, _, _ := a.Client.Server.GetByID(t.Context(), seeded[0].ID); len(one.LoadBalancers) != 1 {
		t.Errorf("the server: %+v", one)
	}
}

func TestServicesChange(t *testing.T) {
	a := start(t, hcloud.Options{})
	b := a.balancerOf(sdk.LoadBalancerCreateOpts{Name: "web"})
	a.done(a.LoadBalancer.AddService(t.Context(), b, sdk.LoadBalancerAddServiceOpts{
		Protocol: sdk.LoadBalancerServiceProtocolHTTP, ListenPort: sdk.Ptr(80), DestinationPort: sdk.Ptr(30080), Proxyprotocol: sdk.Ptr(true),
		HTTP:        &sdk.LoadBalancerAddServiceOptsHTTP{StickySessions: sdk.Ptr(true), CookieName: sdk.Ptr("mine")},
		HealthCheck: &sdk.LoadBalancerAddServiceOptsHealthCheck{Protocol: "http", Port: sdk.Ptr(30081), Interval: sdk.Ptr(5 * time.Second)},
	}))
	a.done(a.LoadBalancer.UpdateService(t.Context(), b, 80, sdk.LoadBalancerUpdateServiceOpts{
		DestinationPort: sdk.Ptr(30090), HTTP: &sdk.LoadBalancerUpdateServiceOptsHTTP{CookieLifetime: sdk.Ptr(time.Minute)},
		HealthCheck: &sdk.LoadBalancerUpdateServiceOptsHealthCheck{Retries: sdk.Ptr(5)},
	}))
	got := a.now(b).Services[0]
	if got.DestinationPort != 30090 || !got.Proxyprotocol || got.HTTP.CookieName != "mine" || got.HTTP.CookieLifetime != time.Minute || !got.HTTP.StickySessions {
		t.Errorf("what an update leaves out changed: %+v", got)
	}
	if got.HealthCheck.Port != 30081 || got.HealthCheck.Retries != 5 || got.HealthCheck.Interval != 5*time.Second {
		t.Errorf("its health check: %+v", got.HealthCheck)
	}
	a.done(a.LoadBalancer.UpdateService(t.Context(), b, 80, sdk.LoadBalancerUpdateServiceOpts{Protocol: sdk.LoadBalancerServiceProtocolTCP}))
	if state := a.State().Balancer("web"); state.Services[0].HTTP != nil || state.Services[0].Protocol != "tcp" {
		t.Errorf("a change to tcp: %+v", state.Services[0])
	}
	a.done(a.LoadBalancer.DeleteService(t.Context(), b, 80))
	if got := a.now(b).Services; len(got) != 0 {
		t.Errorf("after the deletion: %+v", got)
	}
	a.refused("service/absent", "POST", path(b, "delete_service"), object{"listen_port": 80})
	a.refused("service/absent", "POST", path(b, "update_service"), object{"listen_port": 80})
}

func TestBalancersAreAttached(t *testing.T) {
	a := start(t, hcloud.Options{})
	network := a.AddNetwork(hcloud.Network{IPRange: "10.0.0.0/16", Subnets: []hcloud.Subnet{{IPRange: "10.0.0.0/24"}, {IPRange: "10.0.1.0/30"}, {IPRange: "10.0.2.0/24", NetworkZone: "us-east"}}})
	other := a.AddNetwork(hcloud.Network{Name: "other"})
	a.SeedMachines(1)
	b := a.balancerOf(sdk.LoadBalancerCreateOpts{Name: "web"})
	attach := func(changes object) object { return object{"network": network.ID}.with(changes) }
	for _, row := range []struct {
		rule string
		body object
	}{
		{"attach/network", object{"network": 1}},
		{"attach/form", attach(object{"ip": "cow"})},
		{"attach/form", attach(object{"ip_range": "10.0.0.0"})},
		{"attach/subnet", attach(object{"ip_range": "10.0.0.0/25"})},
		{"attach/subnet", attach(object{"ip_range": "10.0.2.0/24"})},
		{"attach/address", attach(object{"ip": "10.0.0.1"})},
		{"attach/address", attach(object{"ip": "10.0.0.10"})},
		{"attach/address", attach(object{"ip": "10.0.7.1"})},
		{"common/fields", attach(object{"alias_ips": []string{}})},
	} {
		a.refused(row.rule, "POST", path(b, "attach_to_network"), row.body)
	}
	_, inside, err := net.ParseCIDR("10.0.1.0/30")
	if err != nil {
		t.Fatal(err)
	}
	a.done(a.LoadBalancer.AttachToNetwork(t.Context(), b, sdk.LoadBalancerAttachToNetworkOpts{Network: &sdk.Network{ID: network.ID}, IPRange: inside}))
	if got := a.now(b).PrivateNet; len(got) != 1 || got[0].IP.String() != "10.0.1.2" {
		t.Errorf("in a range: %+v", got)
	}
	a.refused("attach/one", "POST", path(b, "attach_to_network"), object{"network": other.ID})
	a.done(a.LoadBalancer.DetachFromNetwork(t.Context(), b, sdk.LoadBalancerDetachFromNetworkOpts{Network: &sdk.Network{ID: network.ID}}))
	a.refused("attach/absent", "POST", path(b, "detach_from_network"), object{"network": network.ID})
	a.done(a.LoadBalancer.AttachToNetwork(t.Context(), b, sdk.LoadBalancerAttachToNetworkOpts{Network: &sdk.Network{ID: network.ID}, IP: net.IPv4(10, 0, 0, 77)}))
	if got := a.now(b).PrivateNet; len(got) != 1 || got[0].IP.String() != "10.0.0.77" {
		t.Errorf("with an address: %+v", got)
	}
}

func TestBalancersChange(t *testing.T) {
	a := start(t, hcloud.Options{})
	b := a.balancerOf(sdk.LoadBalancerCreateOpts{Name: "web"})
	a.balancerOf(sdk.LoadBalancerCreateOpts{Name: "other"})
	renamed, _, err := a.LoadBalancer.Update(t.Context(), b, sdk.LoadBalancerUpdateOpts{Name: "site", Labels: map[string]string{"a": "b"}})
	if err != nil || renamed.Name != "site" || renamed.Labels["a"] != "b" {
		t.Errorf("%+v %v", renamed, err)
	}
	if _, _, err := a.LoadBalancer.Update(t.Context(), b, sdk.LoadBalancerUpdateOpts{Name: "other"}); code(err) != sdk.ErrorCodeUniquenessError {
		t.Errorf("a name that is taken: %v", err)
	}
	a.refused("common/labels", "PUT", fmt.Sprintf("/load_balancers/%d", b.ID), object{"labels": object{"a": "b c"}})
	a.refused("common/name", "PUT", fmt.Sprintf("/load_balancers/%d", b.ID), object{"name": ""})
	a.done(a.LoadBalancer.ChangeAlgorithm(t.Context(), b, sdk.LoadBalancerChangeAlgorithmOpts{Type: "least_connections"}))
	a.refused("balancer/algorithm", "POST", path(b, "change_algorithm"), object{"type": "random"})
	v6 := a.now(b).PublicNet.IPv6.IP.String()
	a.done(a.LoadBalancer.ChangeDNSPtr(t.Context(), b, v6, sdk.Ptr("lb.example.com")))
	if got := a.now(b); got.PublicNet.IPv6.DNSPtr != "lb.example.com" || got.Algorithm.Type != "least_connections" {
		t.Errorf("%+v", got)
	}
	a.done(a.LoadBalancer.ChangeDNSPtr(t.Context(), b, v6, nil))
	if got := a.now(b).PublicNet.IPv6.DNSPtr; got != "static."+v6+".clients.example.com" {
		t.Errorf("the default name: %q", got)
	}
	a.refused("dns/ip", "POST", path(b, "change_dns_ptr"), object{"ip": "192.0.2.1", "dns_ptr": "a.example.com"})
	a.refused("dns/name", "POST", path(b, "change_dns_ptr"), object{"ip": v6, "dns_ptr": "a_b c"})
	a.refused("balancer/type", "POST", path(b, "change_type"), object{"load_balancer_type": "lb99"})
	a.refused("type/fits", "POST", path(b, "change_type"), object{"load_balancer_type": 1})
	a.done(a.LoadBalancer.ChangeProtection(t.Context(), b, sdk.LoadBalancerChangeProtectionOpts{Delete: sdk.Ptr(true)}))
	a.refused("protection/field", "POST", path(b, "change_protection"), object{})
	if _, _, err := a.LoadBalancer.DeleteWithResult(t.Context(), b); code(err) != sdk.ErrorCodeProtected {
		t.Errorf("a protected balancer: %v", err)
	}
	a.refused("balancer/protected", "DELETE", fmt.Sprintf("/load_balancers/%d", b.ID), nil)
	a.done(a.LoadBalancer.ChangeProtection(t.Context(), b, sdk.LoadBalancerChangeProtectionOpts{Delete: sdk.Ptr(false)}))
	gone, _, err := a.LoadBalancer.DeleteWithResult(t.Context(), b)
	if err != nil || gone.Action.Command != "delete_load_balancer" {
		t.Fatalf("%+v %v", gone, err)
	}
	if got, _, err := a.LoadBalancer.GetByID(t.Context(), b.ID); got != nil || err != nil {
		t.Errorf("after the deletion: %v %v", got, err)
	}
}

func TestActionsLockTheirBalancer(t *testing.T) {
	a := start(t, hcloud.Options{Delay: -1})
	made, _, err := a.LoadBalancer.Create(t.Context(), sdk.LoadBalancerCreateOpts{Name: "web", LoadBalancerType: &sdk.LoadBalancerType{ID: 1}, Location: &sdk.Location{Name: "fsn1"}})
	if err != nil {
		t.Fatal(err)
	}
	b := made.LoadBalancer
	tcp := object{"protocol": "tcp", "listen_port": 80, "destination_port": 30080}
	a.refused("action/locked", "POST", path(b, "add_service"), tcp)
	a.refused("action/locked", "PUT", fmt.Sprintf("/load_balancers/%d", b.ID), object{"name": "site"})
	a.refused("action/locked", "DELETE", fmt.Sprintf("/load_balancers/%d", b.ID), nil)
	a.FinishActions()
	a.want(201, "POST", path(b, "add_service"), tcp)
	if got := a.now(b).Services; len(got) != 0 {
		t.Errorf("before the end: %+v", got)
	}
	a.FinishActions()
	if got := a.now(b).Services; len(got) != 1 {
		t.Errorf("after the end: %+v", got)
	}
	if err := a.FailActions(hcloud.ActionFault{Command: "delete_load_balancer", Code: "action_failed", Times: 1}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{200, 404} {
		a.want(201, "DELETE", fmt.Sprintf("/load_balancers/%d", b.ID), nil)
		a.FinishActions()
		a.want(want, "GET", fmt.Sprintf("/load_balancers/%d", b.ID), nil)
	}
}
