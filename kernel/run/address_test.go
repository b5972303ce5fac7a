package run

import (
	"context"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
)

// nowhere is a cloud whose answers all have addresses at which nobody reaches anything.
type nowhere struct{ *fakeDriver }

func (n nowhere) Instances() cloud.Instances { return nowhereInstances{fakeInstances(n)} }

func (nowhere) Observe(context.Context, cloud.Input) (cloud.Observed, error) {
	return cloud.Observed{Found: true, Addresses: nowhereBalancer()}, nil
}

func (nowhere) Apply(context.Context, cloud.Change) (cloud.Progress, error) {
	return cloud.Progress{Observed: &cloud.Observed{Found: true, Addresses: nowhereBalancer()}}, nil
}

func (nowhere) ListOwned(context.Context, cloud.Owner) ([]cloud.OwnedBalancer, error) {
	return []cloud.OwnedBalancer{{ID: "b", Addresses: nowhereBalancer()}}, nil
}

type nowhereInstances struct{ fakeInstances }

func (nowhereInstances) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Items: []cloud.Instance{nowhereMachine()}, Complete: true}, nil
}

func (nowhereInstances) Get(context.Context, ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return map[cloud.InstanceID]cloud.Instance{"1": nowhereMachine()}, nil
}

func (nowhereInstances) FindByName(context.Context, string) ([]cloud.Instance, error) {
	return []cloud.Instance{nowhereMachine()}, nil
}

func nowhereMachine() cloud.Instance {
	return cloud.Instance{ID: "1", Addresses: []cloud.Address{
		{Type: cloud.AddressInternalIP, Address: "0.0.0.0"}, {Type: cloud.AddressInternalIP, Address: "10.0.0.1"},
		{Type: cloud.AddressExternalIP, Address: "127.0.0.1"}, {Type: cloud.AddressExternalIP, Address: "::"},
	}}
}

func nowhereBalancer() []cloud.BalancerAddress {
	return []cloud.BalancerAddress{{IP: "::1"}, {IP: "0.0.0.0"}, {IP: "192.0.2.1"}}
}

// What a cloud answers has no address at which nobody reaches a machine or a load balancer, whatever was asked.
func TestAddressesOfNobody(t *testing.T) {
	c, ctx := Decorate(cloudtest.Driver(nowhere{&fakeDriver{}}), Options{}), t.Context()
	machine := func(what string, m cloud.Instance) {
		if len(m.Addresses) != 1 || m.Addresses[0].Address != "10.0.0.1" {
			t.Errorf("%s: %v", what, m.Addresses)
		}
	}
	balancer := func(what string, addresses []cloud.BalancerAddress) {
		if len(addresses) != 1 || addresses[0].IP != "192.0.2.1" {
			t.Errorf("%s: %v", what, addresses)
		}
	}
	machines := c.Instances
	list, _ := machines.List(ctx)
	machine("list", list.Items[0])
	got, _ := machines.Get(ctx, "1")
	machine("get", got["1"])
	found, _ := machines.FindByName(ctx, "n")
	machine("find", found[0])
	observed, _ := c.Balancers.Observe(ctx, cloud.Input{})
	balancer("observe", observed.Addresses)
	progress, _ := c.Balancers.Apply(ctx, cloud.Change{})
	balancer("apply", progress.Observed.Addresses)
	owned, _ := c.OwnedLister.ListOwned(ctx, cloud.Owner{})
	balancer("list of balancers", owned[0].Addresses)
}
