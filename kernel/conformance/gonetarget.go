package conformance

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// remembered are machines as they were listed. Some may be gone since.
type remembered struct {
	cloud.Instances
	machines map[cloud.InstanceID]cloud.Instance
}

func (l remembered) Lookup(context.Context, []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return l.machines, nil
}

func (l remembered) ByName(context.Context, []*corev1.Node) (map[string]cloud.Instance, error) {
	return nil, nil
}

func (l remembered) Generation() any { return nil }

func (l remembered) Addresses(context.Context) (map[string]bool, error) {
	return nil, errors.New("they are not read")
}

func (l remembered) Outdate() {}

func (l remembered) Held() bool { return false }

func (l remembered) ProviderID(node *corev1.Node) (cloud.InstanceID, error) {
	return l.ParseProviderID(node.Spec.ProviderID)
}

// goneTarget makes a balancer with three nodes, of which the machine of one is gone, and then has another one join, and one more whose
// machine is gone too. Whatever the cloud says of those, the others become targets, and nothing is written once they are.
func goneTarget(f *fixture) {
	svc, all := serviceOf(basic), []*corev1.Node{}
	for _, name := range []string{"node-1", "node-2", "node-3", "node-4", "node-5"} {
		f.control.AddMachine(name)
		all = append(all, member(name, ""))
	}
	machines := remembered{f.driver.Machines, map[cloud.InstanceID]cloud.Instance{}}
	named := byName(f)
	for _, node := range all {
		machine := named[node.Name]
		node.Spec.ProviderID, machines.machines[machine.ID] = machine.ProviderID, machine
	}
	f.control.RemoveMachine(named["node-2"].ID)
	f.control.RemoveMachine(named["node-4"].ID)
	c := run.Decorate(f.driver, run.Options{Descriptor: f.suite.Descriptor, Annotations: f.suite.Annotations})
	manager := loadbalancer.New(loadbalancer.Options{
		Cloud: c, Machines: machines, Executor: run.NewExecutor(c, run.Live, nil, nil), ClusterID: "conformance", Events: said{}, Metrics: metric.Discard{},
	})
	served := func(nodes []*corev1.Node, names ...string) {
		f.Helper()
		settled(f, manager, svc, nodes)
		serves := serving(f, svc)
		for _, name := range names {
			if !slices.Contains(serves, named[name].ID) {
				f.Errorf("targets %v: %s, %s, is none of them", serves, name, named[name].ID)
			}
		}
	}
	served(all[:3], "node-1", "node-3")
	served(all, "node-1", "node-3", "node-5")
	_, before := f.control.Requests()
	settled(f, manager, svc, all)
	if _, after := f.control.Requests(); after != before {
		f.Errorf("%d writes, although nothing has changed", after-before)
	}
}

// settled ensures the Service until nothing more is to be done soon.
func settled(f *fixture, manager *loadbalancer.Manager, svc *corev1.Service, nodes []*corev1.Node) {
	f.Helper()
	for range 20 * passes {
		ctx, cancel := context.WithTimeout(f.Context(), 2*time.Minute)
		outcome, err := manager.Ensure(ctx, svc, nodes)
		cancel()
		for key, value := range outcome.Record {
			svc.Annotations[key] = value
		}
		pending, waits := errors.AsType[*loadbalancer.Pending](err)
		if !waits {
			f.must(err, "Ensure")
		}
		switch {
		case err == nil && (outcome.Again == 0 || outcome.Again > time.Minute):
			return
		case waits && pending.Ended != nil:
			f.control.Settle()
			<-pending.Ended
		default:
			f.control.Settle()
		}
	}
	f.Fatal("Ensure is pending for ever")
}
