package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// hasty makes a Node old enough at once and looks after Nodes more often, so that what takes minutes
// by default takes seconds. What protects Nodes is as by default.
var hasty = []string{
	"--node-deletion-grace=1s", "--node-deletion-confirm-gap=2s", "--node-monitor-period=500ms",
	"--kube-api-qps=500", "--kube-api-burst=1000", "--node-burst-window=200ms",
	"--cloud-api-qps=500", "--concurrent-service-syncs=16",
}

// arena is the cluster and the cloud of one scenario.
type arena struct {
	*lab.Lab
	// Cloud is the lab's.
	Cloud     *testcloud.DigitalOcean
	name      string
	launches  int
	processes []*ccm.Process
}

// clear empties cluster and cloud.
func (a *arena) clear(ctx context.Context) error {
	a.Cloud.Disarm()
	a.Cloud.Reset()
	core := a.Client().CoreV1()
	services, err := core.Services("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, svc := range services.Items {
		if svc.Spec.Type != corev1.ServiceTypeLoadBalancer {
			continue
		}
		svc.Finalizers = nil
		if _, err := core.Services(svc.Namespace).Update(ctx, &svc, metav1.UpdateOptions{}); err != nil {
			return err
		}
		if err := core.Services(svc.Namespace).Delete(ctx, svc.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return core.Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}

// start starts a CCM and waits until it serves.
func (a *arena) start(ctx context.Context, env map[string]string, args ...string) (*ccm.Process, error) {
	a.launches++
	p, err := a.StartCCM(lab.CCMOptions{
		Name: strings.ReplaceAll(a.name, " ", "-") + "-" + strconv.Itoa(a.launches), Env: env, Args: append(slices.Clone(hasty), args...),
	})
	if err != nil {
		return nil, err
	}
	a.processes = append(a.processes, p)
	return p, p.Healthy(ctx)
}

func (a *arena) stopAll() {
	for _, p := range a.processes {
		p.Kill()
	}
}

// pool seeds n machines and joins their Nodes, initialised and Ready.
func (a *arena) pool(ctx context.Context, n int) ([]digitalocean.Droplet, error) {
	droplets := a.Cloud.Droplets.Seed(n)
	var nodes []controlplane.NodeOptions
	for _, d := range droplets {
		nodes = append(nodes, controlplane.NodeOptions{
			Name: d.Name, ProviderID: "digitalocean://" + strconv.Itoa(d.ID), Initialized: true, Ready: true, Region: d.Region, InstanceType: d.Size,
		})
	}
	return droplets, a.JoinNodes(ctx, nodes)
}

func (a *arena) setNotReady(ctx context.Context, droplets ...digitalocean.Droplet) error {
	for _, d := range droplets {
		if err := a.SetReady(ctx, d.Name, false, ""); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// missing returns the names of the machines that have no Node.
func (a *arena) missing(ctx context.Context, droplets []digitalocean.Droplet) ([]string, error) {
	list, err := a.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, node := range list.Items {
		there[node.Name] = true
	}
	var gone []string
	for _, d := range droplets {
		if !there[d.Name] {
			gone = append(gone, d.Name)
		}
	}
	return gone, nil
}

// join joins the Node of a new machine and waits until the CCM has initialised it.
func (a *arena) join(ctx context.Context) error {
	d := a.Cloud.Droplets.Seed(1)[0]
	if _, err := a.JoinNode(ctx, controlplane.NodeOptions{Name: d.Name, Ready: true}); err != nil {
		return err
	}
	_, err := a.WaitNode(ctx, d.Name, func(node *corev1.Node) error {
		if node == nil || node.Spec.ProviderID == "" {
			return errors.New("it is not initialised")
		}
		return nil
	})
	return err
}

// service makes a Service of type LoadBalancer.
func (a *arena) service(ctx context.Context, namespace, name string, annotations map[string]string) error {
	_, err := a.Client().CoreV1().Services(namespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Annotations: annotations},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Name: "http", Port: 80}}},
	}, metav1.CreateOptions{})
	return err
}

// each does something with n Services at a time.
func (a *arena) each(ctx context.Context, n int, do func(ctx context.Context, name string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := range n {
		group.Go(func() error { return do(ctx, fmt.Sprintf("web-%d", i)) })
	}
	return group.Wait()
}

// served waits until the Service has an address.
func (a *arena) served(ctx context.Context, name string) (*corev1.Service, error) {
	return a.WaitService(ctx, here, name, func(svc *corev1.Service) error {
		if svc == nil || len(svc.Status.LoadBalancer.Ingress) == 0 {
			return errors.New("it has no address")
		}
		return nil
	})
}

// touch makes the CCM look at a Service again.
func (a *arena) touch(ctx context.Context, name, value string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"example.com/touched":%q}}}`, value)
	_, err := a.Client().CoreV1().Services(here).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// remove deletes a Service and waits until it is gone.
func (a *arena) remove(ctx context.Context, namespace, name string) error {
	if err := a.Client().CoreV1().Services(namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	_, err := a.WaitService(ctx, namespace, name, func(svc *corev1.Service) error {
		if svc != nil {
			return fmt.Errorf("it is still there, with the finalizers %q", svc.Finalizers)
		}
		return nil
	})
	return err
}
