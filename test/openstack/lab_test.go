package openstack_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

func inventory(t *testing.T, p *openstack.Project) []string {
	t.Helper()
	lines, err := p.Inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestCredential logs in as a CCM does.
func TestCredential(t *testing.T) {
	p := openstack.NewProject(t, openstack.ProjectOptions{})
	if _, err := openstack.Connect(t.Context(), openstack.AuthURL, p.Credential); err != nil {
		t.Fatal(err)
	}
	wrong := p.Credential
	wrong.ApplicationCredentialSecret = "wrong"
	if _, err := openstack.Connect(t.Context(), openstack.AuthURL, wrong); err == nil {
		t.Error("a wrong secret was accepted")
	}
}

func TestServers(t *testing.T) {
	p := openstack.NewProject(t, openstack.ProjectOptions{IPv6: true})
	const n = 120
	fleet := p.Fleet(t, n, "node-")
	if len(fleet) != n || fleet[0].Address == "" || fleet[n-1].Name != "node-00119" {
		t.Fatalf("%d servers, the first %+v, the last %+v", len(fleet), fleet[0], fleet[len(fleet)-1])
	}
	pages, err := servers.List(p.Compute, servers.ListOpts{}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, err := servers.ExtractServers(pages)
	if err != nil || len(found) != n {
		t.Fatalf("listed %d servers: %v", len(found), err)
	}
	for _, s := range found {
		if nics, _ := s.Addresses["nodes"].([]any); s.Status != "ACTIVE" || len(nics) != 2 {
			t.Errorf("%s is %s with %v, want an address of each family", s.Name, s.Status, s.Addresses)
		}
	}
	// A copy is as good as a booted one.
	if err := servers.Delete(t.Context(), p.Compute, fleet[n-1].ID).ExtractErr(); err != nil {
		t.Error(err)
	}
}

// TestWholeBalancer makes a load balancer with all its children in one request.
func TestWholeBalancer(t *testing.T) {
	for provider, algorithm := range map[string]string{"amphora": "ROUND_ROBIN", "ovn": "SOURCE_IP_PORT"} {
		t.Run(provider, func(t *testing.T) {
			p := openstack.NewProject(t, openstack.ProjectOptions{})
			before := inventory(t, p)
			lb := balancer(t, p, p.Cloud, provider, algorithm)
			tree, err := loadbalancers.GetStatuses(t.Context(), p.Balancer, lb.ID).Extract()
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range tree.Loadbalancer.Listeners {
				for _, pool := range l.Pools {
					for _, m := range pool.Members {
						if l.ProvisioningStatus != "ACTIVE" || pool.ProvisioningStatus != "ACTIVE" || m.ProvisioningStatus != "ACTIVE" {
							t.Errorf("listener %s, pool %s, member %s", l.ProvisioningStatus, pool.ProvisioningStatus, m.ProvisioningStatus)
						}
					}
				}
			}
			// The balancer, two listeners, pools and monitors, four members, the VIP's port.
			if got := len(inventory(t, p)) - len(before); got != 12 {
				t.Errorf("the inventory has %d lines more, want 12", got)
			}
			p.DeleteBalancers(t)
			if diff := cmp.Diff(before, inventory(t, p)); diff != "" {
				t.Errorf("left behind (-before +after):\n%s", diff)
			}
		})
	}
}

func TestQuota(t *testing.T) {
	p := openstack.NewProject(t, openstack.ProjectOptions{})
	if err := p.LimitBalancers(t.Context(), map[string]int{"load_balancer": 0}); err != nil {
		t.Fatal(err)
	}
	if err := p.LimitNetwork(t.Context(), map[string]int{"floatingip": 0}); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "a load balancer above the quota", createBalancer(t, p.Cloud, loadbalancers.CreateOpts{VipSubnetID: p.SubnetID}), 403)
	wantStatus(t, "a floating IP above the quota", createFloatingIP(t, p), 409)
}

// TestOVNRefuses what the OVN provider refuses.
func TestOVNRefuses(t *testing.T) {
	p := openstack.NewProject(t, openstack.ProjectOptions{NoRouter: true})
	for name, edit := range map[string]func(*loadbalancers.CreateOpts){
		"round robin": func(o *loadbalancers.CreateOpts) { o.Listeners[0].DefaultPool.LBMethod = "ROUND_ROBIN" },
		"HTTP": func(o *loadbalancers.CreateOpts) {
			o.Listeners[0].Protocol, o.Listeners[0].DefaultPool.Protocol = "HTTP", "HTTP"
		},
		"allowed CIDRs": func(o *loadbalancers.CreateOpts) { o.Listeners[0].AllowedCIDRs = []string{"192.0.2.0/24"} },
	} {
		o := wholeBalancer(p, "ovn", "SOURCE_IP_PORT")
		edit(&o)
		wantStatus(t, name, createBalancer(t, p.Cloud, o), 501)
	}
}

// TestCertificate ends TLS at a listener, with the login that a CCM has.
func TestCertificate(t *testing.T) {
	p := openstack.NewProject(t, openstack.ProjectOptions{NoRouter: true})
	c, err := openstack.Connect(t.Context(), openstack.AuthURL, p.Credential)
	if err != nil {
		t.Fatal(err)
	}
	ref := p.NewCertificate(t, "shop.example")
	lb, err := loadbalancers.Create(t.Context(), c.Balancer, loadbalancers.CreateOpts{
		Name: "shop", VipSubnetID: p.SubnetID,
		Listeners: []listeners.CreateOpts{{Name: "shop", Protocol: "TERMINATED_HTTPS", ProtocolPort: 443, DefaultTlsContainerRef: ref}},
	}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	p.WaitBalancer(t, lb.ID)
	got, err := listeners.Get(t.Context(), c.Balancer, lb.Listeners[0].ID).Extract()
	if err != nil || got.ProvisioningStatus != "ACTIVE" || got.DefaultTlsContainerRef != ref {
		t.Errorf("the listener is %+v, %v", got, err)
	}
}

// TestStoppedService needs the lab for itself, as `make e2e-openstack` does it.
func TestStoppedService(t *testing.T) {
	p := openstack.NewProject(t, openstack.ProjectOptions{NoRouter: true})
	if err := p.StopService(t.Context(), "barbican"); err != nil {
		t.Fatal(err)
	}
	url := p.KeyManager.ServiceURL("secrets")
	if _, err := p.KeyManager.Get(t.Context(), url, nil, nil); err == nil {
		t.Error("a stopped service answered")
	}
	if err := p.StartService(t.Context(), "barbican"); err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if _, err := p.KeyManager.Get(t.Context(), url, &answer, nil); err != nil {
		t.Error(err)
	}
}
