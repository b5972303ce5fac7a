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

// service creates a Service of type LoadBalancer.
func (s *site) service(name string) { s.annotated(name, nil) }

// annotated creates a Service of type LoadBalancer with annotations.
func (s *site) annotated(name string, annotations map[string]string) {
	s.t.Helper()
	_, err := s.Client().CoreV1().Services("default").Create(s.within(patience), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	s.must(err)
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
		s.service(fmt.Sprintf("web-%d", i))
	}
	s.awaitTargets(balancers, total)
	for range rounds {
		var nodes []controlplane.NodeOptions
		for _, m := range s.seed(burst) {
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
