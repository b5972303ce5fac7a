package framework

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// shapes says what a Service's balancer looks like, or will.
type shapes interface {
	Shape(ctx context.Context, svc *corev1.Service) (b cloud.Balancer, id string, err error)
}

var errNoShape = errors.New("the load balancer's shape cannot be found out")

// startFirewall starts the firewall loop where the configuration asks for a firewall.
func startFirewall(ctx context.Context, e environment) (bool, error) {
	if !e.firewall.Enabled() {
		return false, nil
	}
	// All Services count: node ports too, and those hidden from the service controller.
	all := e.services.ServiceInformer
	loop := newFirewallLoop(e.options.Tuning.FirewallPoll, e.reconcileFirewall)
	if _, err := all.Informer().AddEventHandler(loop.handler(e.options.Tuning.NodeBurst)); err != nil {
		return false, fmt.Errorf("watching services: %w", err)
	}
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), all.Informer().HasSynced) {
			loop.run(ctx)
		}
	}()
	return true, nil
}

func (c *Cloud) reconcileFirewall(ctx context.Context) error {
	services, err := c.services.ServiceInformer.Lister().List(labels.Everything())
	if err != nil {
		return fmt.Errorf("listing services: %w", err)
	}
	_, err = through(ctx, c.gate, cloud.PriorityBalancer, func(ctx context.Context) (struct{}, error) {
		done, err := c.firewall.Reconcile(ctx, services, func(svc *corev1.Service) (cloud.Balancer, string, error) {
			return c.shape(ctx, svc)
		})
		if !done.Empty() && !c.options.Mode.ReadOnly() {
			klog.InfoS("Changed the firewall", "cloud", c.cloud.Name, "operations", len(done.Executable()))
		}
		return struct{}{}, err
	})
	return err
}

func (c *Cloud) shape(ctx context.Context, svc *corev1.Service) (cloud.Balancer, string, error) {
	manager, ok := any(c.balancers).(shapes)
	if !ok || c.balancers == nil {
		return cloud.Balancer{}, "", errNoShape
	}
	return manager.Shape(ctx, svc)
}
