package framework

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"
	cloudcontrollerconfig "k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// bare is a driver with neither balancers nor routes.
type bare struct{}

func (bare) Identity(context.Context) (cloud.Identity, error) { return cloud.Identity{}, nil }
func (bare) Classify(error) cloud.Failure                     { return cloud.Failure{Class: cloud.FailureUnknown} }
func (bare) Instances() cloud.Instances                       { return nil }

// routed is a driver with routes.
type routed struct {
	bare
	cloud.Routes
}

// newCloud returns the cloud of a driver, in a cluster without anything.
func newCloud(t *testing.T, driver cloud.Account) *Cloud {
	t.Helper()
	c, err := New(open(t, driver), completedConfig(t, fake.NewClientset()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t *testing.T, driver cloud.Account) *Driver {
	t.Helper()
	d, err := Open(context.Background(), Options{
		Provider: registry.Provider{
			Descriptor: cloud.Descriptor{Name: "stub", ProviderIDSchemes: []string{"stub"}},
			New: func(_ context.Context, config cloud.Config) (*cloud.Driver, error) {
				if config.Transport == nil || config.Cloud != "stub" {
					return nil, errors.New("incomplete configuration")
				}
				return cloudtest.Driver(driver), nil
			},
		},
		Config: cloud.Config{ClusterName: "kubernetes"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestNew(t *testing.T) {
	c := newCloud(t, bare{})
	if c.ProviderName() != "stub" || !c.HasClusterID() {
		t.Errorf("provider %q, cluster id: %t", c.ProviderName(), c.HasClusterID())
	}
	if c.options.ClusterID != "kubernetes" {
		t.Errorf("cluster id %q", c.options.ClusterID)
	}
	if _, ok := c.LoadBalancer(); ok {
		t.Error("load balancers of a cloud that has none")
	}
	if _, ok := c.Routes(); ok {
		t.Error("routes of a cloud that has none")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.Stop(ctx); err != nil {
		t.Error(err)
	}
	if _, err := c.instances.InstanceExists(ctx, node("n", "stub://1")); !errors.Is(err, drain.ErrStopping) {
		t.Errorf("a call after the end: %v", err)
	}
}

func TestOpenFails(t *testing.T) {
	provider := registry.Provider{
		Descriptor: cloud.Descriptor{Name: "broken"},
		New:        func(context.Context, cloud.Config) (*cloud.Driver, error) { return nil, errors.New("no token") },
	}
	if _, err := Open(t.Context(), Options{Provider: provider, Config: cloud.Config{ClusterName: "k"}}); err == nil {
		t.Error("no error of the provider")
	}
	if _, err := Open(t.Context(), Options{Provider: provider}); err == nil {
		t.Error("no error without a cluster id")
	}
}

// What may pass is waited for, and told; the rest ends the process.
func TestOpenWaits(t *testing.T) {
	passing := &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Op: "reading the network", Err: cloud.ErrIncomplete}
	for name, test := range map[string]struct {
		err   error
		calls int
	}{
		"an answer that is none":         {passing, 4},
		"refused credentials":            {&cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Op: "reading", Err: errors.New("401")}, 4},
		"a page":                         {fmt.Errorf("reading: %w", &json.SyntaxError{}), 4},
		"a setting":                      {&cloud.Invalid{Field: "HCLOUD_NETWORK", Value: "x", Want: "y"}, 1},
		"a setting, and what may pass":   {errors.Join(passing, &cloud.Invalid{}), 1},
		"anything that nobody knows":     {errors.New("no token"), 1},
		"an address that cannot be read": {&url.Error{Op: "parse", Err: errors.New("missing scheme")}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls, told := 0, 0
			provider := registry.Provider{
				Descriptor: cloud.Descriptor{Name: "stub"},
				New: func(context.Context, cloud.Config) (*cloud.Driver, error) {
					if calls++; calls == 4 {
						return cloudtest.Driver(bare{}), nil
					}
					return nil, test.err
				},
			}
			begin := time.Now()
			o := Options{Provider: provider, Config: cloud.Config{ClusterName: "k"}, Waits: func(error) { told++ }}
			d, err := Open(t.Context(), o)
			if calls != test.calls || told != test.calls-1 || (d == nil) != (test.calls == 1) {
				t.Errorf("%s: %d calls, told %d times, %v; want %d calls", name, calls, told, err, test.calls)
			}
			if waited := time.Since(begin); test.calls > 1 && waited != 7*time.Second {
				t.Errorf("%s: after %s", name, waited)
			}
			calls, o.Waits = 0, nil
			if _, err = Open(t.Context(), o); err == nil || calls != 1 {
				t.Errorf("%s, where nobody waits: %d calls, %v", name, calls, err)
			}
		})
	}
}

// The end of the process ends the waiting.
func TestOpenStopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		provider := registry.Provider{Descriptor: cloud.Descriptor{Name: "stub"}, New: func(context.Context, cloud.Config) (*cloud.Driver, error) { return nil, cloud.ErrIncomplete }}
		begin := time.Now()
		_, err := Open(ctx, Options{Provider: provider, Config: cloud.Config{ClusterName: "k"}, Waits: func(error) {}})
		if !errors.Is(err, cloud.ErrIncomplete) || time.Since(begin) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}

func TestNewValidates(t *testing.T) {
	tests := []struct {
		name   string
		change func(*cloudcontrollerconfig.CompletedConfig)
		routes bool
		fails  bool
	}{
		{"defaults", func(*cloudcontrollerconfig.CompletedConfig) {}, false, false},
		{"no node workers", func(c *cloudcontrollerconfig.CompletedConfig) {
			c.ComponentConfig.NodeController.ConcurrentNodeSyncs = 0
		}, false, true},
		{"no service workers", func(c *cloudcontrollerconfig.CompletedConfig) {
			c.ComponentConfig.ServiceController.ConcurrentServiceSyncs = 0
		}, false, true},
		{"network", func(c *cloudcontrollerconfig.CompletedConfig) {
			c.ComponentConfig.KubeCloudShared.ClusterCIDR = "10.0.0.0/8"
		}, true, false},
		{"two networks", func(c *cloudcontrollerconfig.CompletedConfig) {
			c.ComponentConfig.KubeCloudShared.ClusterCIDR = "10.0.0.0/8,fd00::/48"
		}, true, false},
		{"routes switched off", func(c *cloudcontrollerconfig.CompletedConfig) {
			c.ComponentConfig.KubeCloudShared.ClusterCIDR = "10.0.0.0/8"
			c.ComponentConfig.KubeCloudShared.ConfigureCloudRoutes = false
		}, false, false},
		{"nonsense", func(c *cloudcontrollerconfig.CompletedConfig) {
			c.ComponentConfig.KubeCloudShared.ClusterCIDR = "ten"
		}, false, true},
		{"two of a kind", func(c *cloudcontrollerconfig.CompletedConfig) {
			c.ComponentConfig.KubeCloudShared.ClusterCIDR = "10.0.0.0/8,11.0.0.0/8"
		}, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			completed := completedConfig(t, fake.NewClientset())
			tt.change(completed)
			c, err := New(open(t, routed{}), completed, nil)
			if (err != nil) != tt.fails {
				t.Fatalf("error %v", err)
			}
			if tt.fails {
				return
			}
			if _, ok := c.Routes(); ok != tt.routes {
				t.Errorf("routes: %v", ok)
			}
		})
	}
}

func TestNewGuardsTheElection(t *testing.T) {
	completed := completedConfig(t, fake.NewClientset())
	before := completed.Kubeconfig
	completed.ComponentConfig.Generic.LeaderElection.LeaderElect = true
	if _, err := New(open(t, bare{}), completed, nil); err != nil {
		t.Fatal(err)
	}
	if completed.Kubeconfig == before || completed.Kubeconfig.WrapTransport == nil || before.WrapTransport != nil {
		t.Error("the election's client has no guard")
	}
}

func TestControllersHaveUpstreamsNames(t *testing.T) {
	all := Controllers()
	for alias, name := range names.CCMControllerAliases() {
		if _, ok := all[name]; !ok {
			t.Errorf("%s, alias %s, is missing", name, alias)
		}
	}
	if got := all[names.ServiceLBController].InitContext.ClientName; got != "service-controller" {
		t.Errorf("client name %q", got)
	}
}

func TestNodesOfOthersAreInNoCloudsView(t *testing.T) {
	c := newCloud(t, bare{})
	for _, tt := range []struct {
		node *corev1.Node
		want bool
	}{{node("a", "stub://1"), true}, {node("b", "other://1"), false}, {node("c", ""), false}} {
		if got := c.mine(tt.node); got != tt.want {
			t.Errorf("%s: %v", tt.node.Name, got)
		}
	}
}

// Controller managers of two clouds without an election have one lease, and a window each.
func TestLeaseStoreOfTwoClouds(t *testing.T) {
	server := fake.NewClientset()
	start := func(name string) *safety.Brake {
		c := newCloud(t, &bare{})
		c.cloud.Name = name
		c.keepRecords(server.CoordinationV1().Leases("kube-system"), "kube-system", "ccm", func() time.Time { return time.Time{} })
		return c.brake
	}
	for _, name := range []string{"one", "two"} {
		brake := start(name)
		if allowed, err := brake.Allow(t.Context(), 20, name+"1", name+"2", name+"3", name+"4", name+"5", name+"6"); len(allowed) != 5 {
			t.Errorf("cloud %s: %v, %v, want a window of its own", name, allowed, err)
		}
		if err := brake.Remember(t.Context(), safety.AccountHash(name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"one", "two"} {
		brake := start(name)
		if err := brake.Refresh(t.Context()); err != nil || brake.Account() != safety.AccountHash(name) {
			t.Errorf("cloud %s has the account of another one: %v", name, err)
		}
	}
}
