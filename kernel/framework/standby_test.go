package framework

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/fake"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/client"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/leader"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// listing is a driver that counts lists of machines.
type listing struct {
	taggable
	lists atomic.Int64
}

func (d *listing) Instances() cloud.Instances { return &countedLists{lists: &d.lists} }

type countedLists struct {
	parser
	lists *atomic.Int64
}

func (c *countedLists) List(context.Context) (cloud.InstanceList, error) {
	c.lists.Add(1)
	return cloud.InstanceList{Items: []cloud.Instance{{ID: "1", Name: "a"}}, Complete: true}, nil
}

// A standby knows the cluster and asks the cloud nothing. The moment it leads it reads the list of
// machines, before any controller asks for one, and only where there are Nodes.
func TestStandbyIsWarm(t *testing.T) {
	for name, ids := range map[string][]string{"with nodes": {"stub://1"}, "without": nil, "with foreign nodes": {"other://1"}} {
		synctest.Test(t, func(t *testing.T) {
			server, driver := fake.NewClientset(), &listing{}
			for _, id := range ids {
				if err := server.Tracker().Add(node("a", id)); err != nil {
					t.Fatal(err)
				}
			}
			completed := completedConfig(t, server)
			c, err := New(decorate(Options{
				Provider: registry.Provider{Descriptor: cloud.Descriptor{Name: "stub", ProviderIDSchemes: []string{"stub"}}},
				Tuning:   DefaultTuning(), ClusterID: "c",
			}, cloudtest.Driver(driver)), completed, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.warm()
			time.Sleep(time.Second)
			synctest.Wait()
			if got := len(c.allNodes()); got != len(ids) || driver.lists.Load() != 0 {
				t.Errorf("%s: a standby knows %d nodes and has read %d lists; want %d and 0", name, got, driver.lists.Load(), len(ids))
			}
			builder := &testBuilder{Builder: *completed.ClientBuilder.(*client.Builder), server: server}
			c.Initialize(builder, nil)
			time.Sleep(time.Second)
			synctest.Wait()
			want := int64(0)
			if name == "with nodes" {
				want = 1
			}
			if got := driver.lists.Load(); got != want {
				t.Errorf("%s: the leader has read %d lists, want %d", name, got, want)
			}
			if err := c.Stop(context.Background()); err != nil {
				t.Error(err)
			}
			c.recorder.Broadcaster.Shutdown()
			completed.SharedInformers.Shutdown()
		})
	}
}

// What the informers show is not decided on before they are in step. Where they stay behind no controller is started,
// and the process ends.
func TestLeaderWaitsForItsInformers(t *testing.T) {
	for _, stale := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := fake.NewClientset()
			completed := completedConfig(t, server)
			completed.ComponentConfig.Generic.LeaderElection.LeaderElect = true
			completed.ComponentConfig.Generic.LeaderElection.ResourceName = "ccm"
			c, err := New(decorate(Options{
				Provider: registry.Provider{Descriptor: cloud.Descriptor{Name: "stub", ProviderIDSchemes: []string{"stub"}}},
				Tuning:   DefaultTuning(), ClusterID: "c",
			}, cloudtest.Driver(&listing{})), completed, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.inStep == nil {
				t.Fatal("a process with a lease does not compare its informers")
			}
			c.lease = nil
			heard, ended, behind := make(chan struct{}), make(chan struct{}), &leader.StaleError{Resource: "services"}
			var abandoned error
			c.abandon = func(err error) { abandoned = err }
			c.inStep = func(context.Context) error {
				<-heard
				if stale {
					return behind
				}
				return nil
			}
			builder := &testBuilder{Builder: *completed.ClientBuilder.(*client.Builder), server: server}
			began := false
			go func() { c.Initialize(builder, ended); began = true }()
			synctest.Wait()
			if began {
				t.Error("it did not wait")
			}
			close(heard)
			synctest.Wait()
			if began == stale || stale != errors.Is(abandoned, behind) {
				t.Errorf("stale %t: the controllers start: %t, the process ends with %v", stale, began, abandoned)
			}
			close(ended)
			if err := c.Stop(context.Background()); err != nil {
				t.Error(err)
			}
			c.recorder.Broadcaster.Shutdown()
		})
	}
}
