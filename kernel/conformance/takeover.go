package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// takeover checks the first look of a process that has just started at a balancer that serves.
func (s *suite) takeover(t *testing.T) {
	s.each(t, []check{
		{"what serves is not cut off by a process that starts", keepsServing},
		{"a machine that is gone keeps no other one from being a target", goneTarget},
	})
}

// said are the events of a kernel in the suite, by reason.
type said map[string]bool

func (s said) Record(_ event.Object, reason event.Reason, _ string) { s[reason.Name] = true }

// keepsServing makes a balancer with three targets, and then has one new process after the other
// ensure it.
func keepsServing(f *fixture) {
	svc := serviceOf(basic)
	names := []string{"node-1", "node-2", "node-3"}
	var whole []*corev1.Node
	for _, name := range names {
		f.control.AddMachine(name)
	}
	machines := byName(f)
	for _, name := range names {
		whole = append(whole, member(name, machines[name].ProviderID))
	}
	bring(f, svc, whole, whole)
	serving := serving(f, svc)
	if len(serving) != len(names) {
		f.Fatalf("targets %v, want those of %v", serving, names)
	}

	forms := append([]string{""}, f.suite.ProviderIDs...)
	for _, form := range forms {
		var nodes []*corev1.Node
		for _, name := range names {
			id := ""
			if form != "" {
				id = fmt.Sprintf(form, machines[name].ID)
			}
			nodes = append(nodes, member(name, id))
		}
		_, before := f.control.Requests()
		events := bring(f, svc, nodes, nodes)
		if _, after := f.control.Requests(); after != before || events[event.TargetsKept.Name] {
			f.Errorf("nodes with provider-ID %q: %d writes, events %v; want none, and nothing to be kept", form, after-before, events)
		}
		if events[event.TargetFoundByName.Name] != (form == "") {
			f.Errorf("nodes with provider-ID %q: events %v", form, events)
		}
		still(f, svc, serving, "with nodes whose provider-ID is "+form)
	}

	if events := bring(f, svc, nil, nil); !events[event.TargetsKept.Name] {
		f.Errorf("without any node: events %v, want %s", events, event.TargetsKept.Name)
	}
	still(f, svc, serving, "without any node")

	// Proof is enough: the user excludes one node, and one machine is gone.
	f.control.RemoveMachine(machines["node-3"].ID)
	for _, a := range machines["node-2"].Addresses {
		whole[1].Status.Addresses = append(whole[1].Status.Addresses, corev1.NodeAddress{Type: corev1.NodeAddressType(a.Type), Address: a.Address})
	}
	bring(f, svc, nil, whole[1:2])
	still(f, svc, slices.DeleteFunc(serving, func(id cloud.InstanceID) bool { return id != machines["node-1"].ID }), "without one that is excluded and one that is gone")
}

// serviceOf is the Service as the kernel gets it.
func serviceOf(service Service) *corev1.Service {
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: service.Name, UID: types.UID(uid(service.Name)), Annotations: map[string]string{}},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol}},
	}
	for _, port := range service.Ports {
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{
			Name: port.Name, Protocol: corev1.Protocol(port.Protocol), Port: int32(port.Port), NodePort: int32(port.NodePort),
		})
	}
	return svc
}

func member(name, providerID string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
		Spec:       corev1.NodeSpec{ProviderID: providerID},
	}
}

func byName(f *fixture) map[string]cloud.Instance {
	f.Helper()
	list, err := f.driver.Machines.List(f.ctx())
	f.must(err, "List")
	machines := map[string]cloud.Instance{}
	for _, machine := range list.Items {
		machines[machine.Name] = machine
	}
	return machines
}

// bring has a process that has just started ensure the Service. The nodes are those that
// balancers may have, all is every Node of the cluster.
func bring(f *fixture, svc *corev1.Service, nodes, all []*corev1.Node) said {
	f.Helper()
	c := run.Decorate(f.driver, run.Options{Descriptor: f.suite.Descriptor, Annotations: f.suite.Annotations})
	events := said{}
	every := func() []*corev1.Node { return all }
	manager := loadbalancer.New(loadbalancer.Options{
		Cloud: c, Machines: instance.New(instance.Options{Cloud: c, Nodes: every}), Nodes: every,
		Executor: run.NewExecutor(c, run.Live, nil, nil), ClusterID: "conformance", Events: events, Metrics: metric.Discard{},
	})
	for range 10 * passes {
		ctx, cancel := context.WithTimeout(f.Context(), 2*time.Minute)
		outcome, err := manager.Ensure(ctx, svc, nodes)
		cancel()
		for key, value := range outcome.Record {
			svc.Annotations[key] = value
		}
		pending, ok := errors.AsType[*loadbalancer.Pending](err)
		if !ok {
			f.must(err, "Ensure")
			return events
		}
		f.control.Settle()
		if pending.Ended != nil {
			<-pending.Ended
		}
	}
	f.Fatal("Ensure is pending for ever")
	return nil
}

// serving are the targets, as the machines they are.
func serving(f *fixture, svc *corev1.Service) []cloud.InstanceID {
	f.Helper()
	in := f.withMachines(f.spec(Service{Name: svc.Name, Ports: basic.Ports}))
	in.ID = strings.TrimSpace(svc.Annotations[f.suite.Descriptor.IDAnnotation])
	observed, err := f.balancers().Observe(f.ctx(), in)
	f.must(err, "Observe")
	targets := observed.Resolve(in.Candidates).Balancer.Targets
	return slices.Sorted(slices.Values(targets))
}

func still(f *fixture, svc *corev1.Service, want []cloud.InstanceID, when string) {
	f.Helper()
	if got := serving(f, svc); !slices.Equal(got, want) {
		f.Errorf("targets %v %s, want %v", got, when, want)
	}
}
