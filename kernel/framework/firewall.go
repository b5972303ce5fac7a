package framework

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
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
	passes := newLoop("Reconciling the firewall", e.reconcileFirewall)
	return true, passes.follow(ctx, all.Informer(), firewallEvents(passes, e.options.Tuning.NodeBurst))
}

func (c *Cloud) reconcileFirewall(ctx context.Context) error {
	c.plans.Round("firewall")
	services := c.services.All()
	err := drain.Do(ctx, c.calls, cloud.PriorityBegun, func(ctx context.Context) error {
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

// firewallEvents makes the loop follow Services, of which only the spec, the annotations and
// the status, which comes with the balancer, matter.
func firewallEvents(l *loop, window time.Duration) cache.ResourceEventHandler {
	return events(l, window, func(old, svc *corev1.Service) bool { return old.ResourceVersion != svc.ResourceVersion }, func(*corev1.Service) {})
}

// desiredBalancers remember the balancers of Services as long as the Services stay as they are, so
// that looking after the firewall costs one read and not one for each of them.
type desiredBalancers struct {
	// ttl bounds what is remembered: a balancer may change without its Service.
	ttl   time.Duration
	known map[types.UID]desiredBalancer
}

type desiredBalancer struct {
	version  string
	at       time.Time
	balancer cloud.Balancer
	id       string
}

// of returns the Service's balancer. One without id does not exist yet and is not kept.
func (s *desiredBalancers) of(svc *corev1.Service, read func() (cloud.Balancer, string, error)) (cloud.Balancer, string, error) {
	if known, ok := s.known[svc.UID]; ok && known.version == svc.ResourceVersion && time.Since(known.at) < s.ttl {
		return known.balancer, known.id, nil
	}
	b, id, err := read()
	if err == nil && id != "" && svc.DeletionTimestamp == nil {
		s.known[svc.UID] = desiredBalancer{svc.ResourceVersion, time.Now(), b, id}
	}
	return b, id, err
}

func (s *desiredBalancers) keep(services []*corev1.Service) {
	there := make(map[types.UID]bool, len(services))
	for _, svc := range services {
		there[svc.UID] = true
	}
	maps.DeleteFunc(s.known, func(uid types.UID, _ desiredBalancer) bool { return !there[uid] })
}
