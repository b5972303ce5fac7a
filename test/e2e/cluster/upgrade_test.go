package cluster_test

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

	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

const (
	lease = "cloud-controller-manager"
	// takeoverLimit is generous: a lease of 11 seconds has to run out.
	takeoverLimit = 30 * time.Second
)

// upgrade keeps requests going: the CCM is not in their way.
func (s *story) upgrade(t *testing.T) {
	stop := askForever(t, s.url80(t, "echo"))
	_, err := s.helm.Run(within(t, patience), "upgrade", install.Release, s.helm.Chart(), "--reuse-values",
		"--set", "log.level=4,replicaCount=2", "--wait", "--timeout=2m")
	must(t, err)
	eventually(t, func(ctx context.Context) error {
		pods, err := install.Pods(ctx, s.Cluster)
		if err != nil || len(pods) != 2 {
			return fmt.Errorf("there are %d pods: %w", len(pods), err)
		}
		if pods[0].Spec.NodeName == pods[1].Spec.NodeName {
			return fmt.Errorf("both pods are on %s", pods[0].Spec.NodeName)
		}
		for _, pod := range pods {
			if !slices.Contains(pod.Spec.Containers[0].Args, "--v=4") {
				return fmt.Errorf("pod %s has the arguments %q", pod.Name, pod.Spec.Containers[0].Args)
			}
		}
		return errors.Join(podReady(pods[0]), podReady(pods[1]))
	})
	stop()
}

// examine runs the chart's own test, which is the check-up of the program.
func (s *story) examine(t *testing.T) {
	out, err := s.helm.Run(within(t, patience), "test", install.Release, "--logs", "--timeout=1m")
	must(t, err)
	t.Log(out)
}

// killLeader kills the program that leads. Requests go on, and so does work.
func (s *story) killLeader(t *testing.T) {
	leader := s.leader(t)
	stop := askForever(t, s.url80(t, "echo"))
	killed := time.Now()
	s.kill(t, leader)
	_, err := s.Client().CoreV1().Services(metav1.NamespaceDefault).Create(within(t, patience), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "late"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"app": "echo"}, Ports: []corev1.ServicePort{{Port: 8080}},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	next := ""
	must(t, eventuallyWithin(t, takeoverLimit, func(ctx context.Context) error {
		next = s.leader(t)
		if next == "" || next == leader {
			return fmt.Errorf("%q leads", next)
		}
		return nil
	}))
	t.Logf("%s leads %.1f s after %s was killed", next, time.Since(killed).Seconds(), leader)
	must(t, eventuallyWithin(t, takeoverLimit, func(ctx context.Context) error {
		service, err := s.Client().CoreV1().Services(metav1.NamespaceDefault).Get(ctx, "late", metav1.GetOptions{})
		if err == nil && len(service.Status.LoadBalancer.Ingress) == 0 {
			err = errors.New("the Service has no address")
		}
		return err
	}))
	t.Logf("a Service that was created meanwhile has an address %.1f s after that", time.Since(killed).Seconds())
	stop()
}

// leader returns who holds the lease: the name of a node and a random part.
func (s *story) leader(t *testing.T) string {
	t.Helper()
	held, err := s.Client().CoordinationV1().Leases(install.Namespace).Get(within(t, patience), lease, metav1.GetOptions{})
	must(t, err)
	return *held.Spec.HolderIdentity
}

// kill ends the program on a node at once.
func (s *story) kill(t *testing.T, identity string) {
	node, _, _ := strings.Cut(identity, "_")
	pods, err := install.Pods(within(t, patience), s.Cluster)
	must(t, err)
	for _, n := range s.Nodes() {
		for _, pod := range pods {
			if n.Name() == node && pod.Spec.NodeName == node {
				_, id, _ := strings.Cut(pod.Status.ContainerStatuses[0].ContainerID, "://")
				_, err := n.Run(within(t, patience), "ctr", "--namespace", "k8s.io", "tasks", "kill", "--signal", "SIGKILL", id)
				must(t, err)
				return
			}
		}
	}
	t.Fatalf("no pod is on the node of %s", identity)
}
