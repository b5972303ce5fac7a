package loadbalancer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// BenchmarkEnsureNothing is an ensure that changes nothing, with as many nodes as the product is made for.
func BenchmarkEnsureNothing(b *testing.B) {
	for _, nodes := range []int{100, 5000} {
		b.Run(fmt.Sprintf("%d nodes", nodes), func(b *testing.B) {
			m, svc, all := large(b, nodes)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Ensure(b.Context(), svc, all); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// large returns a Service whose balancer has that many nodes behind it.
func large(b *testing.B, count int) (*Manager, *corev1.Service, []*corev1.Node) {
	b.Helper()
	driver := &largeDriver{fakeDriver: &fakeDriver{}}
	var nodes []*corev1.Node
	for i := range count {
		n := node(fmt.Sprintf("node-%d", i))
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.0.%d.%d", i/250, i%250)}}
		nodes = append(nodes, n)
		driver.machines = append(driver.machines, cloud.Instance{
			ID: cloud.InstanceID(n.Name), Name: n.Name, ProviderID: n.Spec.ProviderID, Zone: "one",
			Addresses: []cloud.Address{
				{Type: cloud.AddressInternalIP, Address: n.Status.Addresses[0].Address},
				{Type: cloud.AddressExternalIP, Address: fmt.Sprintf("192.0.%d.%d", i/250, i%250)},
			},
		})
	}
	c := run.Decorate(cloudtest.Driver(driver), run.Options{Descriptor: fakeDescriptor, Annotations: fakeKeys})
	list := func() []*corev1.Node { return nodes }
	m := New(Options{
		Cloud: c, Machines: instance.New(instance.Options{Cloud: c, Nodes: list}), Nodes: list,
		Executor: run.NewExecutor(c, run.Live, nil, nil), ClusterID: "prod", Events: &fakeEvents{}, Metrics: metric.Discard{},
	})
	svc := service()
	for range 2 {
		o, err := m.Ensure(b.Context(), svc, nodes)
		if err != nil {
			b.Fatal(err)
		}
		maps.Copy(svc.Annotations, o.Record)
		svc.Status.LoadBalancer = *o.Status
	}
	for _, s := range driver.balancers {
		if len(s.Targets) != count {
			b.Fatalf("%d targets", len(s.Targets))
		}
	}
	return m, svc, nodes
}

// largeDriver is a fake cloud with machines.
type largeDriver struct {
	*fakeDriver
	machines []cloud.Instance
}

func (d *largeDriver) Instances() cloud.Instances { return d }

func (d *largeDriver) MaxTargets(cloud.Balancer) int { return 0 }

func (d *largeDriver) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Items: d.machines, Complete: true}, nil
}

func (d *largeDriver) Get(_ context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, machine := range d.machines {
		if slices.Contains(ids, machine.ID) {
			found[machine.ID] = machine
		}
	}
	return found, nil
}

func (d *largeDriver) FindByName(context.Context, string) ([]cloud.Instance, error) { return nil, nil }

func (d *largeDriver) ParseProviderID(id string) (cloud.InstanceID, error) {
	return cloud.InstanceID(strings.TrimPrefix(id, "fake://")), nil
}
