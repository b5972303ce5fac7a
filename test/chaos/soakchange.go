package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// otherClass is the class of another controller, which does not run.
const otherClass = "example.com/other"

// changeServices makes, changes and deletes Services, one change after the other, until the end.
func (x *soaking) changeServices(until, ctx context.Context) error {
	r := random(x.seed, "services")
	for until.Err() == nil {
		wait(until, x.calm/2+time.Duration(r.Int64N(int64(x.calm))))
		s := x.slots[r.IntN(len(x.slots))]
		if s.stage == leaving && !x.isGone(ctx, s) {
			continue
		}
		op := s.choose(r)
		if op == "" {
			continue
		}
		if err := x.change(ctx, s, op, r); err != nil {
			return fmt.Errorf("%s %s: %w", s.name, op, err)
		}
		x.count(string(op))
	}
	return nil
}

// isGone reports whether a Service that was deleted is gone, and notes it.
func (x *soaking) isGone(ctx context.Context, s *slot) bool {
	_, err := x.Client().CoreV1().Services(here).Get(ctx, s.name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return false
	}
	x.set(s, absent, "")
	return true
}

// change does one thing with a Service. What it is to be is noted before it is written, and what it was until then after.
func (x *soaking) change(ctx context.Context, s *slot, op operation, r *rand.Rand) error {
	services := x.Client().CoreV1().Services(here)
	switch op {
	case create:
		svc, err := services.Create(ctx, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: s.name},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: somePorts(r)},
		}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		x.set(s, asks, string(svc.UID))
	case ports:
		return x.patch(ctx, s, map[string]any{"spec": map[string]any{"ports": somePorts(r)}})
	case annotate:
		return x.patch(ctx, s, map[string]any{"metadata": map[string]any{"annotations": map[string]any{
			"multicloud-ccm.io/health-check-interval":            fmt.Sprintf("%ds", 5+r.IntN(20)),
			"multicloud-ccm.io/health-check-unhealthy-threshold": fmt.Sprint(2 + r.IntN(3)),
			"multicloud-ccm.io/proxy-protocol":                   fmt.Sprint(r.IntN(2) == 0),
		}}})
	case turnOff:
		x.set(s, off, s.uid)
		return x.patch(ctx, s, ofType(corev1.ServiceTypeClusterIP, nil))
	case turnOn:
		defer func() { x.set(s, asks, s.uid) }()
		return x.patch(ctx, s, ofType(corev1.ServiceTypeLoadBalancer, nil))
	case handOver:
		x.set(s, handed, s.uid)
		if err := x.patch(ctx, s, ofType(corev1.ServiceTypeClusterIP, nil)); err != nil {
			return err
		}
		return x.patch(ctx, s, ofType(corev1.ServiceTypeLoadBalancer, new(otherClass)))
	case remove:
		x.set(s, leaving, s.uid)
		return services.Delete(ctx, s.name, metav1.DeleteOptions{})
	}
	return nil
}

func ofType(t corev1.ServiceType, class *string) map[string]any {
	return map[string]any{"spec": map[string]any{"type": t, "loadBalancerClass": class}}
}

func (x *soaking) patch(ctx context.Context, s *slot, patch map[string]any) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = x.Client().CoreV1().Services(here).Patch(ctx, s.name, types.MergePatchType, text, metav1.PatchOptions{})
	return err
}

// somePorts draws one to three ports.
func somePorts(r *rand.Rand) (list []corev1.ServicePort) {
	all := []int32{80, 443, 8080, 8443, 9000}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, port := range all[:1+r.IntN(3)] {
		list = append(list, corev1.ServicePort{Name: fmt.Sprint("p", port), Port: port, Protocol: corev1.ProtocolTCP})
	}
	return list
}

// changeMachines adds and removes machines, until the end. A machine that goes takes its kubelet along.
func (x *soaking) changeMachines(until, ctx context.Context) error {
	r := random(x.seed, "machines")
	for until.Err() == nil {
		wait(until, 3*time.Second+time.Duration(r.Int64N(int64(5*time.Second))))
		names := x.names()
		if len(names) > x.machines || r.IntN(2) == 0 && len(names) > x.machines*9/10 {
			if err := x.removeMachine(ctx, names[r.IntN(len(names))]); err != nil {
				return err
			}
			x.count("remove a machine")
			continue
		}
		added, err := x.Cloud.Seed(ctx, 1, testcloud.Machine{})
		if err != nil {
			return err
		}
		node := added[0].Node()
		node.Ready = true
		if _, err := x.JoinNode(ctx, node); err != nil {
			return err
		}
		x.mu.Lock()
		x.there[added[0].Name] = added[0]
		x.mu.Unlock()
		x.count("add a machine")
	}
	return nil
}

// names are those of the machines that are there, sorted.
func (x *soaking) names() (names []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range x.there {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (x *soaking) removeMachine(ctx context.Context, name string) error {
	x.mu.Lock()
	m := x.there[name]
	delete(x.there, name)
	x.mu.Unlock()
	if err := x.Cloud.Remove(ctx, m); err != nil {
		return err
	}
	if err := x.SetReady(ctx, name, false, "NodeStatusUnknown"); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}
