package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

const (
	here      = metav1.NamespaceDefault
	elsewhere = "thief"
)

// twoLeaders runs two CCMs that both believe they lead. What they make twice must be gone in the end.
func twoLeaders(ctx context.Context, a *arena) ([]Result, error) {
	const services, patience = 20, 2 * time.Minute
	if _, err := a.pool(ctx, 5); err != nil {
		return nil, err
	}
	first, err := a.start(ctx, nil)
	if err != nil {
		return nil, err
	}
	if _, err := a.start(ctx, nil); err != nil {
		return nil, err
	}
	a.Cloud.SetLatency(200 * time.Millisecond)
	defer a.Cloud.SetLatency(0)
	if err := a.each(ctx, services, func(ctx context.Context, name string) error { return a.service(ctx, here, name, nil) }); err != nil {
		return nil, err
	}
	if err := a.each(ctx, services, func(ctx context.Context, name string) error {
		_, err := a.served(ctx, name)
		return err
	}); err != nil {
		return nil, err
	}
	most := len(a.Cloud.State().Balancers)
	first.Kill()
	if err := a.each(ctx, services, func(ctx context.Context, name string) error { return a.touch(ctx, name, "1") }); err != nil {
		return nil, err
	}
	until, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_ = a.Cloud.Await(until, func(s digitalocean.State) bool { return len(s.Balancers) <= services }) // counted below
	left := a.Cloud.State().Balancers
	var names []string
	for _, b := range left {
		names = append(names, b.Name)
	}
	slices.Sort(names)
	done := fmt.Sprintf("%d Services, two active CCMs (%d balancers), then one for %s", services, most, patience)
	results := []Result{count(done, "duplicates", 0, max(0, len(left)-services), strings.Join(names, " "))}
	wrong := 0
	for i := range services {
		svc, err := a.Client().CoreV1().Services(here).Get(ctx, fmt.Sprintf("web-%d", i), metav1.GetOptions{})
		if err != nil {
			return results, err
		}
		if !pointsAt(svc, left) {
			wrong++
		}
	}
	return append(results, count("their status", "Services with an address of no balancer", 0, wrong, "")), nil
}

// pointsAt reports whether the Service's address is that of a balancer.
func pointsAt(svc *corev1.Service, balancers []digitalocean.Balancer) bool {
	return slices.ContainsFunc(svc.Status.LoadBalancer.Ingress, func(i corev1.LoadBalancerIngress) bool {
		return slices.ContainsFunc(balancers, func(b digitalocean.Balancer) bool { return b.IP == i.IP })
	})
}

// tenants lets a Service in one namespace name another's balancer in every way there is.
func tenants(ctx context.Context, a *arena) ([]Result, error) {
	if _, err := a.pool(ctx, 3); err != nil {
		return nil, err
	}
	if err := a.namespace(ctx, elsewhere); err != nil {
		return nil, err
	}
	if _, err := a.start(ctx, nil); err != nil {
		return nil, err
	}
	if err := a.service(ctx, here, "victim", nil); err != nil {
		return nil, err
	}
	victim, err := a.served(ctx, "victim")
	if err != nil {
		return nil, err
	}
	theirs := a.Cloud.State().Balancers[0]
	const idKey = "kubernetes.digitalocean.com/load-balancer-id"
	attacks := map[string]map[string]string{
		"by-id":           {idKey: theirs.ID},
		"by-adopt":        {"multicloud-ccm.io/adopt": theirs.ID},
		"by-id-and-adopt": {idKey: theirs.ID, "multicloud-ccm.io/adopt": theirs.ID},
		"by-name":         {"multicloud-ccm.io/name": theirs.Name, "multicloud-ccm.io/adopt": theirs.Name},
	}
	for name, annotations := range attacks {
		if err := a.service(ctx, elsewhere, name, annotations); err != nil {
			return nil, err
		}
	}
	wait(ctx, 10*time.Second)
	var stolen []string
	list, err := a.Client().CoreV1().Services(elsewhere).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, svc := range list.Items {
		if pointsAt(&svc, []digitalocean.Balancer{theirs}) {
			stolen = append(stolen, svc.Name)
		}
	}
	for name := range attacks {
		if err := a.remove(ctx, elsewhere, name); err != nil {
			return nil, err
		}
	}
	done := fmt.Sprintf("another's balancer named in %d ways", len(attacks))
	return []Result{
		count(done, "thieves with the victim's address", 0, len(stolen), strings.Join(stolen, " ")),
		holds("the thieves deleted", "the victim's balancer unchanged", a.unchanged(ctx, theirs, victim)),
	}, nil
}

// unchanged compares a balancer and its Service with what they were.
func (a *arena) unchanged(ctx context.Context, before digitalocean.Balancer, svc *corev1.Service) error {
	for _, b := range a.Cloud.State().Balancers {
		if b.ID != before.ID {
			continue
		}
		want, err := json.Marshal(before)
		if err != nil {
			return err
		}
		got, err := json.Marshal(b)
		if err != nil {
			return err
		}
		if string(got) != string(want) {
			return fmt.Errorf("it was %s and is %s", want, got)
		}
		now, err := a.Client().CoreV1().Services(svc.Namespace).Get(ctx, svc.Name, metav1.GetOptions{})
		if err == nil && !pointsAt(now, []digitalocean.Balancer{before}) {
			err = fmt.Errorf("the Service's status is %+v", now.Status.LoadBalancer)
		}
		return err
	}
	return fmt.Errorf("balancer %s is gone", before.ID)
}

// manyServices makes and deletes many Services and looks for what is left.
func manyServices(ctx context.Context, a *arena) ([]Result, error) {
	const services = 200
	if _, err := a.pool(ctx, 5); err != nil {
		return nil, err
	}
	const firewall = "chaos"
	if _, err := a.start(ctx, map[string]string{"PUBLIC_ACCESS_FIREWALL_NAME": firewall, "PUBLIC_ACCESS_FIREWALL_TAGS": "chaos"}); err != nil {
		return nil, err
	}
	if err := a.each(ctx, services, func(ctx context.Context, name string) error { return a.service(ctx, here, name, nil) }); err != nil {
		return nil, err
	}
	if err := a.Cloud.Await(ctx, func(s digitalocean.State) bool { return len(s.Balancers) >= services }); err != nil {
		return nil, fmt.Errorf("%d balancers: %w", len(a.Cloud.State().Balancers), err)
	}
	made := len(a.Cloud.State().Balancers)
	removed := a.each(ctx, services, func(ctx context.Context, name string) error { return a.remove(ctx, here, name) })
	settled, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	_ = a.Cloud.Await(settled, func(s digitalocean.State) bool { return len(leftTags(s))+len(leftRules(s)) == 0 }) // counted below
	state := a.Cloud.State()
	done := fmt.Sprintf("%d Services made and deleted", services)
	return []Result{
		count(done, "more balancers than Services", 0, made-services, ""),
		holds(done, "all gone, no finalizer left", removed),
		count(done, "balancers left", 0, len(state.Balancers), ""),
		count(done, "tags left", 0, len(leftTags(state)), strings.Join(leftTags(state)[:min(5, len(leftTags(state)))], " ")),
		count(done, "firewall rules left", 0, len(leftRules(state)), fmt.Sprint(leftRules(state))),
	}, nil
}

// leftTags are the tags that were made for one Service.
func leftTags(s digitalocean.State) (left []string) {
	for _, tag := range s.Tags {
		if strings.HasPrefix(tag, "ccm-service:") {
			left = append(left, tag)
		}
	}
	return left
}

// leftRules are the openings of firewalls for node ports.
func leftRules(s digitalocean.State) (left []string) {
	for _, f := range s.Firewalls {
		for _, rule := range f.InboundRules {
			left = append(left, fmt.Sprintf("%+v", rule))
		}
	}
	return left
}
