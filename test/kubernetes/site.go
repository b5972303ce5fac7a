package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

const (
	// nodes is how many there are: one of the control plane, where the controller manager runs, and two that serve.
	nodes = 3
	// startLimit includes a build of Kubernetes, waitLimit bounds the wait for one thing.
	startLimit = 30 * time.Minute
	waitLimit  = 3 * time.Minute
)

// site is a cluster with a cloud, and this controller manager installed from the chart.
type site struct {
	*cluster.Cluster
	cloud install.Cloud
	helm  *install.Helm
	// carrying is what became of the data plane: an error, or nil when it was stopped.
	carrying chan error

	mu sync.Mutex
	// gone are the nodes that have no machine any more.
	gone map[string]bool
}

// open starts a site. The data plane follows the cloud until ctx ends.
func open(ctx context.Context, provider string, progress io.Writer) (s *site, err error) {
	started, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	s = &site{carrying: make(chan error, 1), gone: map[string]bool{}}
	defer func() { //nolint:contextcheck // cleaning up goes on after ctx's end
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.Cluster, err = cluster.Start(started, cluster.Options{Nodes: nodes, Balancers: true, DNS: true, Progress: progress}); err != nil {
		return s, err
	}
	if s.cloud, err = install.Open(ctx, provider, s.Cluster); err != nil {
		return s, err
	}
	if s.helm, err = install.NewHelm(s.AdminKubeconfig()); err != nil {
		return s, err
	}
	return s, s.install(started, progress)
}

// close ends everything.
func (s *site) close() error {
	if s.cloud != nil {
		s.cloud.Close()
	}
	if s.Cluster != nil {
		return s.Stop()
	}
	return nil
}

func (s *site) install(ctx context.Context, progress io.Writer) error {
	// As kubeadm does it. The other nodes serve.
	control := func(node *corev1.Node) {
		const role = "node-role.kubernetes.io/control-plane"
		node.Labels[role] = ""
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: role, Effect: corev1.TaintEffectNoSchedule})
	}
	if err := s.editNode(ctx, s.Nodes()[0].Name(), control); err != nil {
		return err
	}
	if err := install.LoadImage(ctx, s.Cluster, s.helm, s.cloud); err != nil {
		return err
	}
	fmt.Fprintln(progress, "installing the chart")
	if _, err := s.helm.Install(ctx, s.cloud, "--wait", "--timeout=3m"); err != nil {
		return err
	}
	for _, n := range s.Nodes() {
		if _, err := s.WaitNode(ctx, n.Name(), initialised); err != nil {
			return err
		}
	}
	return nil
}

func initialised(node *corev1.Node) error {
	uninitialised := func(t corev1.Taint) bool { return t.Key == controlplane.UninitializedTaint }
	if node == nil || node.Spec.ProviderID == "" || slices.ContainsFunc(node.Spec.Taints, uninitialised) {
		return errors.New("the node is not initialised")
	}
	return nil
}

// editNode changes a Node.
func (s *site) editNode(ctx context.Context, name string, edit func(*corev1.Node)) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := s.Client().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			edit(node)
			_, err = s.Client().CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		}
		if err != nil {
			return fmt.Errorf("changing %s: %w", name, err)
		}
		return nil
	})
}

// living returns the names of the nodes that have a machine.
func (s *site) living() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.Nodes() {
		if !s.gone[n.Name()] {
			names = append(names, n.Name())
		}
	}
	return names
}

// carry tells the data plane of load balancers until the context ends. When it can't, it ends the run.
func (s *site) carry(ctx context.Context, end context.CancelCauseFunc) {
	err := install.Carry(ctx, s.Cluster, s.cloud)
	if err != nil {
		end(err)
	}
	s.carrying <- err
}

// powerOff deletes the machine of a node and cuts its power.
func (s *site) powerOff(name string) error {
	for _, n := range s.Nodes() {
		if n.Name() == name {
			err := s.cloud.DeleteMachine(name)
			n.Stop()
			s.mu.Lock()
			s.gone[name] = true
			s.mu.Unlock()
			return err
		}
	}
	return fmt.Errorf("deleting the machine of %s: there is no such node", name)
}
