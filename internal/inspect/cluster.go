package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/cloud-provider/names"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Cluster is one reading of a cluster.
type Cluster struct {
	// Nodes and Services are all of them, by name.
	Nodes    []*corev1.Node
	Services []*corev1.Service
	// Lease is the leader's, with the records of the brakes; nil when there is none.
	Lease *coordinationv1.Lease
}

// Read reads a cluster, its Services only where they count, see NeedsServices. The lease is the
// leader's.
func Read(ctx context.Context, client kubernetes.Interface, services bool, leader types.NamespacedName) (Cluster, error) {
	var read Cluster
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return read, fmt.Errorf("reading nodes: %w", err)
	}
	all := &corev1.ServiceList{}
	if services {
		if all, err = client.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{}); err != nil {
			return read, fmt.Errorf("reading services: %w", err)
		}
	}
	lease, err := client.CoordinationV1().Leases(leader.Namespace).Get(ctx, leader.Name, metav1.GetOptions{})
	switch {
	case err == nil:
		read.Lease = lease
	case !apierrors.IsNotFound(err):
		return read, fmt.Errorf("reading lease %s: %w", leader, err)
	}
	for n := range nodes.Items {
		read.Nodes = append(read.Nodes, &nodes.Items[n])
	}
	for n := range all.Items {
		read.Services = append(read.Services, &all.Items[n])
	}
	slices.SortFunc(read.Nodes, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(read.Services, func(a, b *corev1.Service) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return read, nil
}

// NeedsServices reports whether anything is done about Services, with these controllers (see
// controller.Enabled). Where nothing is, the controller manager has no right to read them.
func NeedsServices(c *run.Cloud, enabled map[string]bool) bool {
	return c.Balancers != nil && enabled[names.ServiceLBController] ||
		c.Firewalls != nil && enabled[controller.CloudFirewall]
}

// Node returns the Node of that name, nil when there is none.
func (c Cluster) Node(name string) *corev1.Node {
	at := slices.IndexFunc(c.Nodes, func(n *corev1.Node) bool { return n.Name == name })
	if at < 0 {
		return nil
	}
	return c.Nodes[at]
}

// Service returns the Service of that name, nil when there is none.
func (c Cluster) Service(namespace, name string) *corev1.Service {
	at := slices.IndexFunc(c.Services, func(s *corev1.Service) bool { return s.Namespace == namespace && s.Name == name })
	if at < 0 {
		return nil
	}
	return c.Services[at]
}

// With returns the cluster with another version of a Service, or one more.
func (c Cluster) With(svc *corev1.Service) Cluster {
	c.Services = append(slices.DeleteFunc(slices.Clone(c.Services), func(s *corev1.Service) bool {
		return s.Namespace == svc.Namespace && s.Name == svc.Name
	}), svc)
	return c
}

// deletions is how many Nodes of a cloud were deleted within the window, by the leader's record.
func (c Cluster) deletions(cloudName string, window time.Duration) int {
	if c.Lease == nil {
		return 0
	}
	return safety.Deletions(c.Lease.Annotations[safety.AnnotationNodes+cloudName], time.Now(), window)
}

// record returns the record of a brake as it was read. What is counted here goes nowhere.
func (c Cluster) record(annotation string) safety.Store {
	if c.Lease == nil {
		return &record{}
	}
	a := c.Lease.Annotations
	return &record{stored: safety.Stored{
		Record: a[annotation], ReleasedBy: a[safety.AnnotationReleasedBy], ReleasedAt: a[safety.AnnotationReleasedAt],
	}}
}

// record is a safety.Store in memory.
type record struct {
	mu     sync.Mutex
	stored safety.Stored
}

func (r *record) Update(_ context.Context, change func(safety.Stored) (string, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	next, err := change(r.stored)
	if err == nil {
		r.stored.Record = next
	}
	return err
}
