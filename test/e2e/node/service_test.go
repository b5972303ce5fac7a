package node_test

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// services are those of the cluster.
type services struct{ site *site }

// add creates a Service of type LoadBalancer.
func (v services) add(name string) { v.addWith(name, nil) }

// addWith creates a Service of type LoadBalancer with annotations.
func (v services) addWith(name string, annotations map[string]string) {
	v.site.t.Helper()
	_, err := v.site.Client().CoreV1().Services("default").Create(v.site.within(patience), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	v.site.must(err)
}

// settled waits until a Service has an address.
func (v services) settled(name string) {
	v.site.t.Helper()
	_, err := v.site.WaitService(v.site.within(patience), "default", name, func(svc *corev1.Service) error {
		if svc == nil || len(svc.Status.LoadBalancer.Ingress) == 0 {
			return errors.New("it has no address")
		}
		return nil
	})
	v.site.must(err)
}

// annotate sets an annotation of a Service.
func (v services) annotate(name, key, value string) {
	v.site.t.Helper()
	ctx, services := v.site.within(patience), v.site.Client().CoreV1().Services("default")
	svc, err := services.Get(ctx, name, metav1.GetOptions{})
	v.site.must(err)
	svc.Annotations[key] = value
	_, err = services.Update(ctx, svc, metav1.UpdateOptions{})
	v.site.must(err)
}

// lacking names a balancer that has not all of the machines.
func lacking(found []testcloud.Balancer, balancers, machines int) error {
	if len(found) < balancers {
		return fmt.Errorf("there are %d of %d balancers", len(found), balancers)
	}
	for _, b := range found {
		if n := len(b.Targets); n != machines {
			return fmt.Errorf("balancer %s has %d of %d machines", b.Name, n, machines)
		}
	}
	return nil
}

// Nodes join in bursts while there are many balancers. A Node's provider-ID is what tells
// the service controller, and it comes before the addresses: a balancer that is updated in
// between must get the node later.
func TestNoBalancerLacksANode(t *testing.T) {
	const balancers, rounds, burst = 50, 20, 10
	s := open(t, testcloud.Balancers, testcloud.Many)
	total := len(s.pool(3))
	s.start("--cloud-api-qps=1000", "--concurrent-service-syncs=10")
	for i := range balancers {
		s.services.add(fmt.Sprintf("web-%d", i))
	}
	s.awaitTargets(balancers, total)
	for range rounds {
		var nodes []controlplane.NodeOptions
		for _, m := range s.machines.seed(burst) {
			nodes = append(nodes, m.Node())
		}
		s.must(s.JoinNodes(s.within(patience), nodes))
		total += burst
		s.awaitTargets(balancers, total)
	}
}

func (s *site) awaitTargets(balancers, machines int) {
	s.t.Helper()
	if most := s.Cloud.Facts().MostTargets; most > 0 {
		machines = min(machines, most)
	}
	s.eventually(func() error {
		found, err := s.Cloud.Balancers(s.within(patience))
		return errors.Join(err, lacking(found, balancers, machines))
	})
}
