package chaos

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	// glance is how often cluster and cloud are looked at.
	glance = 500 * time.Millisecond
	// mostDoubled is how long a Service may have two load balancers: a minute in which the second one is left alone, and what it takes
	// to find out and to delete it, while processes are killed and requests fail.
	mostDoubled = time.Minute + 90*time.Second
	// turned is how long ago a Service must have begun to ask for a load balancer to be sure that no deletion from before is under way.
	turned = time.Minute
)

// watch looks for what must never be, until the end.
func (x *soaking) watch(until, ctx context.Context) error {
	doubled := map[string]time.Time{}
	for until.Err() == nil {
		wait(until, glance)
		services, err := x.services(ctx)
		if err != nil {
			return err
		}
		balancers, err := x.Cloud.Balancers(ctx)
		if err != nil {
			return err
		}
		x.watchDoubled(balancers, doubled)
		for name, svc := range services {
			x.watchService(name, svc, balancers)
		}
	}
	return nil
}

// services returns the Services of the soak by name.
func (x *soaking) services(ctx context.Context) (map[string]*corev1.Service, error) {
	list, err := x.Client().CoreV1().Services(here).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	all := map[string]*corev1.Service{}
	for i := range list.Items {
		if svc := &list.Items[i]; strings.HasPrefix(svc.Name, "web-") {
			all[svc.Name] = svc
		}
	}
	return all, nil
}

// watchDoubled notes the Services that have had two load balancers for too long.
func (x *soaking) watchDoubled(balancers []testcloud.Balancer, since map[string]time.Time) {
	count := map[string]int{}
	for _, b := range balancers {
		if b.UID != "" {
			count[b.UID]++
		}
	}
	for uid := range since {
		if count[uid] < 2 {
			delete(since, uid)
		}
	}
	for uid, n := range count {
		if n < 2 {
			continue
		}
		if since[uid].IsZero() {
			since[uid] = time.Now()
			x.mu.Lock()
			x.twice++
			x.mu.Unlock()
		}
		if time.Since(since[uid]) > mostDoubled {
			x.report(&x.doubled, "%s: %d load balancers since %s", x.called(uid), n, since[uid].Format(time.TimeOnly))
		}
	}
}

// called is the name of a Service that lives, or else its UID.
func (x *soaking) called(uid string) string {
	if s := x.byUID(uid); s != nil {
		return s.name
	}
	return uid
}

// watchService notes a load balancer that serves and has no target, and the address of a Service that only changes. There are always
// Ready Nodes.
func (x *soaking) watchService(name string, svc *corev1.Service, balancers []testcloud.Balancer) {
	if !isOurs(svc) || len(svc.Status.LoadBalancer.Ingress) == 0 {
		return
	}
	for _, b := range balancers {
		if b.Active && len(b.Targets) == 0 && reached(svc, b.Addresses) {
			x.report(&x.idle, "%s, load balancer %s", name, b.ID)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	at := svc.Status.LoadBalancer.Ingress[0].IP
	for _, s := range x.slots {
		switch {
		case s.name != name || !s.steady || s.address == at:
		case s.address == "":
			s.address = at
		default:
			s.moved = at
		}
	}
}

// isOurs reports whether a Service asks this CCM for a load balancer.
func isOurs(svc *corev1.Service) bool {
	return svc.Spec.Type == corev1.ServiceTypeLoadBalancer && svc.Spec.LoadBalancerClass == nil && svc.DeletionTimestamp == nil
}

func reached(svc *corev1.Service, addresses []string) bool {
	return slices.ContainsFunc(svc.Status.LoadBalancer.Ingress, func(i corev1.LoadBalancerIngress) bool { return slices.Contains(addresses, i.IP) })
}

// removing is called before a load balancer is deleted: that must not be where a Service is reached that has been asking for one for
// a while.
func (x *soaking) removing(id string) func() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	balancers, err := x.Cloud.Balancers(ctx)
	at := slices.IndexFunc(balancers, func(b testcloud.Balancer) bool { return b.ID == id })
	if err != nil || at < 0 {
		cancel()
		return func() {}
	}
	b, s := balancers[at], x.byUID(balancers[at].UID)
	if s == nil || s.stage != asks || time.Since(s.since) < turned {
		cancel()
		return func() {}
	}
	svc, err := x.Client().CoreV1().Services(here).Get(ctx, s.name, metav1.GetOptions{})
	return func() {
		defer cancel()
		if err == nil && isOurs(svc) && reached(svc, b.Addresses) {
			x.report(&x.wrong, "%s at %s, load balancer %s", s.name, strings.Join(b.Addresses, " "), id)
		}
	}
}
