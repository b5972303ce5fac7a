package framework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
)

// startFirewall starts the firewall loop where the configuration asks for a firewall.
func startFirewall(ctx context.Context, e environment) (bool, error) {
	if !e.firewall.Enabled() {
		return false, nil
	}
	// All Services count: node ports too, and those hidden from the service controller.
	all := e.services.ServiceInformer
	passes := newLoop("Reconciling the firewall", e.options.Tuning.FirewallPoll, e.reconcileFirewall)
	if _, err := all.Informer().AddEventHandler(firewallEvents(passes, e.options.Tuning.NodeBurst)); err != nil {
		return false, fmt.Errorf("watching services: %w", err)
	}
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), all.Informer().HasSynced) {
			passes.run(ctx)
		}
	}()
	return true, nil
}

func (c *Cloud) reconcileFirewall(ctx context.Context) error {
	c.plans.Round("firewall")
	services := c.services.All()
	err := drain.Do(ctx, c.calls, cloud.PriorityBalancer, func(ctx context.Context) error {
		done, err := c.firewall.Reconcile(ctx, services, func(svc *corev1.Service) (cloud.Balancer, string, error) {
			return c.shapes.of(svc, func() (cloud.Balancer, string, error) { return c.shape(ctx, svc) })
		})
		if !done.Empty() && !c.options.Mode.ReadOnly() {
			klog.InfoS("Changed the firewall", "cloud", c.cloud.Name, "operations", len(done.Executable()))
		}
		return err
	})
	c.shapes.keep(services)
	return err
}

func (c *Cloud) shape(ctx context.Context, svc *corev1.Service) (cloud.Balancer, string, error) {
	if c.balancers == nil {
		return cloud.Balancer{}, "", errors.New("the cloud has no load balancers")
	}
	return c.balancers.Desired(ctx, svc, c.targets.All())
}

// managedKey is the annotation, of clouds that have a firewall, that keeps it away from a
// Service.
const managedKey = annotation.Prefix + "firewall-managed"

// FirewallManaged returns what reads that annotation, nil where the cloud has none; warning says
// what is wrong with it.
func FirewallManaged(keys annotation.Set) func(*corev1.Service) (managed bool, warning string) {
	at := slices.IndexFunc(keys, func(k annotation.Key) bool { return k.Name == managedKey })
	if at < 0 {
		return nil
	}
	key := keys[at]
	return func(svc *corev1.Service) (bool, string) {
		given := map[string]string{}
		for _, name := range key.Spellings() {
			if value, ok := svc.Annotations[name]; ok {
				given[name] = value
			}
		}
		values, problems := annotation.Set{key}.Parse(given)
		var warnings []string
		for _, problem := range problems {
			warnings = append(warnings, problem.Error())
		}
		return key.Bool(values), strings.Join(warnings, "; ")
	}
}
