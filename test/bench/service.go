package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	namespace = metav1.NamespaceDefault
	prefix    = "web-"
)

func (r *run) each(ctx context.Context, f func(ctx context.Context, name string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i := range r.options.Services {
		group.Go(func() error { return f(ctx, fmt.Sprintf("%s%d", prefix, i)) })
	}
	return group.Wait()
}

// servicesOnly makes the Services, without anything before.
func (r *run) servicesOnly(ctx context.Context) error {
	if r.options.Services == 0 {
		return nil
	}
	return r.process(ctx, func(ctx context.Context, p *ccm.Process) error {
		profiled := r.profile(ctx, p, "services")
		if err := errors.Join(r.createServices(ctx, p), profiled()); err != nil || r.options.Profiles == "" {
			return err
		}
		profiled = r.profile(ctx, p, "unchanged")
		return errors.Join(r.touchServices(ctx, p), profiled())
	})
}

// process starts the process on Nodes that are Ready, measures something, and ends it.
func (r *run) process(ctx context.Context, measure func(context.Context, *ccm.Process) error) error {
	if err := r.setReady(ctx, r.names, true); err != nil {
		return err
	}
	m := r.now()
	p, err := r.start(defaultProcess)
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := within(ctx, p, 20*time.Minute)
	defer cancel()
	if err := r.afterStart(ctx, p, m); err != nil {
		return err
	}
	if err := measure(ctx, p); err != nil {
		return err
	}
	_, err = r.end(context.WithoutCancel(ctx), defaultProcess, p)
	return err
}

// makeService makes a Service of type LoadBalancer.
func (r *run) makeService(ctx context.Context, name string) error {
	_, err := r.lab.Client().CoreV1().Services(namespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	return err
}

// createServices measures until every Service has its address.
func (r *run) createServices(ctx context.Context, p *ccm.Process) error {
	m := r.now()
	busy, err := p.CPUSoFar()
	if err != nil {
		return err
	}
	if err := r.each(ctx, r.makeService); err != nil {
		return err
	}
	err = r.watch.signal.Until(ctx, func() bool { return len(r.watch.addressed()) == r.options.Services })
	if err != nil {
		return fmt.Errorf("%d of %d Services have an address: %w", len(r.watch.addressed()), r.options.Services, err)
	}
	result := &r.result.Create
	result.Seconds = time.Since(m.at).Seconds()
	if result.CPUSeconds, err = cpuSince(p, busy); err != nil {
		return err
	}
	if err := r.settle(ctx, 2*time.Second); err != nil {
		return err
	}
	result.Calls = r.calls(m)
	if result.Writes, err = r.writes(m); err != nil {
		return err
	}
	result.AfterActivation, err = r.afterActivation(ctx, m)
	return err
}

// afterActivation returns how long after the cloud had it each Service had its address,
// ascending and in seconds. The cloud has it activation after it answered the creation.
func (r *run) afterActivation(ctx context.Context, m moment) ([]float64, error) {
	if !r.facts.Can(testcloud.Activation) {
		return nil, nil
	}
	made := slices.DeleteFunc(r.lab.Cloud.Requests(), func(request traffic.Request) bool {
		return !slices.Contains(r.facts.Create, request.Route) || request.Start.Before(m.at) || request.Status >= 300
	})
	active := func(svc *corev1.Service) (time.Time, bool) {
		for _, request := range made {
			if strings.Contains(request.Body, balancerName(svc)) || strings.Contains(request.Body, string(svc.UID)) {
				return request.Start.Add(request.Took + activation), true
			}
		}
		return time.Time{}, false
	}
	var seconds []float64
	list, err := r.lab.Client().CoreV1().Services(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	got := r.watch.addressed()
	for _, svc := range list.Items {
		at, ok := active(&svc)
		if ready, addressed := got[svc.Name]; ok && addressed {
			seconds = append(seconds, ready.Sub(at).Seconds())
		}
	}
	slices.Sort(seconds)
	return seconds, nil
}

// balancerName is the name that every cloud-controller-manager gives a balancer by default.
func balancerName(svc *corev1.Service) string {
	name := "a" + strings.ReplaceAll(string(svc.UID), "-", "")
	return name[:min(len(name), 32)]
}

// addNodes measures until every balancer has the new nodes.
func (r *run) addNodes(ctx context.Context) error {
	m := r.now()
	if err := r.joinMore(ctx, added, true); err != nil {
		return err
	}
	want := len(r.names)
	err := controlplane.Eventually(ctx, func(ctx context.Context) error {
		balancers, err := r.lab.Cloud.Balancers(ctx)
		return errors.Join(err, complete(balancers, want))
	})
	if err != nil {
		return fmt.Errorf("some balancers lack nodes: %w", err)
	}
	result := &r.result.AddNodes
	result.Seconds = time.Since(m.at).Seconds()
	if err := r.settle(ctx, 5*time.Second); err != nil {
		return err
	}
	result.Calls = r.calls(m)
	result.Writes, err = r.writes(m)
	return err
}

func complete(balancers []testcloud.Balancer, machines int) error {
	for _, b := range balancers {
		if len(b.Targets) < machines {
			return fmt.Errorf("%s has %d of %d targets", b.Name, len(b.Targets), machines)
		}
	}
	return nil
}

// deleteServices measures until cluster and cloud have nothing left. What came before has used up a
// part of what the cloud allows in a minute.
func (r *run) deleteServices(ctx context.Context) error {
	if err := pause(ctx, time.Minute); err != nil {
		return err
	}
	m := r.now()
	services := r.lab.Client().CoreV1().Services(namespace)
	err := r.each(ctx, func(ctx context.Context, name string) error {
		return services.Delete(ctx, name, metav1.DeleteOptions{})
	})
	if err != nil {
		return err
	}
	left := 0
	err = r.watch.signal.Until(ctx, func() bool {
		left = 0
		for i := range r.options.Services {
			if r.watch.has(fmt.Sprintf("%s%d", prefix, i)) {
				left++
			}
		}
		return left == 0
	})
	if err != nil {
		return fmt.Errorf("%d of %d Services are left: %w", left, r.options.Services, err)
	}
	result := &r.result.Delete
	result.Seconds = time.Since(m.at).Seconds()
	if err := r.settle(ctx, 2*time.Second); err != nil {
		return err
	}
	balancers, err := r.lab.Cloud.Balancers(ctx)
	if err != nil {
		return err
	}
	if len(balancers) > 0 {
		return fmt.Errorf("%d balancers are left in the cloud", len(balancers))
	}
	result.Calls = r.calls(m)
	result.Writes, err = r.writes(m)
	return err
}
