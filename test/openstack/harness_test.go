package openstack_test

import (
	"strconv"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

// wholeBalancer has two listeners, each with a pool, a monitor and two members.
func wholeBalancer(p *openstack.Project, provider, algorithm string) loadbalancers.CreateOpts {
	o := loadbalancers.CreateOpts{Name: "shop", VipSubnetID: p.SubnetID, Provider: provider}
	for _, port := range []int{80, 443} {
		o.Listeners = append(o.Listeners, listeners.CreateOpts{
			Name: "shop", Protocol: "TCP", ProtocolPort: port,
			DefaultPool: &pools.CreateOpts{
				Name: "shop-" + strconv.Itoa(port), Protocol: "TCP", LBMethod: pools.LBMethod(algorithm),
				Members: []pools.CreateMemberOpts{
					{Address: "10.0.0.11", ProtocolPort: 30000 + port, SubnetID: p.SubnetID},
					{Address: "10.0.0.12", ProtocolPort: 30000 + port, SubnetID: p.SubnetID},
				},
				Monitor: &monitors.CreateOpts{Type: "TCP", Delay: 5, Timeout: 3, MaxRetries: 1},
			},
		})
	}
	return o
}

// balancer creates a whole balancer and waits until it is ACTIVE.
func balancer(t *testing.T, p *openstack.Project, c *openstack.Cloud, provider, algorithm string) *loadbalancers.LoadBalancer {
	t.Helper()
	lb, err := loadbalancers.Create(t.Context(), c.Balancer, wholeBalancer(p, provider, algorithm)).Extract()
	if err != nil {
		t.Fatal(err)
	}
	p.WaitBalancer(t, lb.ID)
	return lb
}

func createBalancer(t *testing.T, c *openstack.Cloud, o loadbalancers.CreateOpts) error {
	_, err := loadbalancers.Create(t.Context(), c.Balancer, o).Extract()
	return err
}

func createFloatingIP(t *testing.T, p *openstack.Project) error {
	_, err := floatingips.Create(t.Context(), p.Network, floatingips.CreateOpts{FloatingNetworkID: p.ExternalID}).Extract()
	return err
}

func wantStatus(t *testing.T, what string, err error, status int) {
	t.Helper()
	if !gophercloud.ResponseCodeIs(err, status) {
		t.Errorf("%s: %v, want the status %d", what, err, status)
	}
}
