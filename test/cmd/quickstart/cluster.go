package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// cluster is a control plane and its side of the board.
type cluster struct {
	*controlplane.ControlPlane
	side  int
	board *board
	proxy *proxy // nil where nothing answers
}

// watch keeps the board up to date until ctx ends.
func (c *cluster) watch(ctx context.Context) {
	c.inform(ctx, "nodes", &corev1.Node{}, func(object any, there bool) {
		node, ok := object.(*corev1.Node)
		if !ok {
			return
		}
		c.board.update(c.side, func(s *side) {
			s.nodes[node.Name] = node
			if !there {
				s.nodes[node.Name] = nil
			}
		})
	})
	c.inform(ctx, "services", &corev1.Service{}, func(object any, there bool) {
		service, ok := object.(*corev1.Service)
		if !ok || !there || service.Spec.Type != corev1.ServiceTypeLoadBalancer {
			return
		}
		if c.proxy != nil {
			c.proxy.follow(service)
		}
		if service.Name == serviceName && service.Namespace == metav1.NamespaceDefault {
			c.board.update(c.side, func(s *side) { s.service = service })
		}
	})
	c.listen(ctx)
}

// ofServer ends the names of what kube-apiserver says of itself, such as that it takes an address for Service kubernetes.
const ofServer = "-repair-controller"

// listen keeps the Warnings that come while nothing is wrong.
func (c *cluster) listen(ctx context.Context) {
	c.inform(ctx, "events", &corev1.Event{}, func(object any, there bool) {
		event, ok := object.(*corev1.Event)
		if ok && there && event.Type == corev1.EventTypeWarning && !strings.HasSuffix(cmp.Or(event.ReportingController, event.Source.Component), ofServer) {
			c.board.warned(c.side, fmt.Sprintf("%s %s: %s: %s", event.InvolvedObject.Kind, event.InvolvedObject.Name, event.Reason, event.Message))
		}
	})
}

// inform calls seen for every object and every change of one.
func (c *cluster) inform(ctx context.Context, resource string, kind runtime.Object, seen func(object any, there bool)) {
	_, controller := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(c.Client().CoreV1().RESTClient(), resource, metav1.NamespaceAll, fields.Everything()),
		ObjectType:    kind,
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { seen(object, true) },
			UpdateFunc: func(_, object any) { seen(object, true) },
			DeleteFunc: func(object any) {
				if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
					object = last.Obj
				}
				seen(object, false)
			},
		},
	})
	go controller.RunWithContext(ctx)
}

// join creates the Nodes that kubelets with --cloud-provider=external register.
func (c *cluster) join(ctx context.Context, machines []machine) error {
	for _, m := range machines {
		if _, err := c.JoinNode(ctx, controlplane.NodeOptions{Name: m.name, ProvidedNodeIP: m.nodeIP, Ready: true}); err != nil {
			return err
		}
	}
	return nil
}

// silence turns Nodes NotReady, as happens when their kubelets say nothing any more.
func (c *cluster) silence(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := c.SetReady(ctx, name, false, "NodeStatusUnknown"); err != nil {
			return err
		}
	}
	return nil
}

// expose creates the Service.
func (c *cluster) expose(ctx context.Context) error {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: serviceName, Namespace: metav1.NamespaceDefault},
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeLoadBalancer,
			Selector: map[string]string{"app": serviceName},
			Ports:    []corev1.ServicePort{{Name: "http", Port: servicePort, TargetPort: intstr.FromInt32(servicePort)}},
		},
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if _, err := c.Client().CoreV1().Services(metav1.NamespaceDefault).Create(ctx, service, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create Service %s: %w", serviceName, err)
	}
	return nil
}
