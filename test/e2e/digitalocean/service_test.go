package digitalocean_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

const namespace = "default"

// service is a Service of a test.
type service struct {
	t    *testing.T
	name string
	uid  types.UID
	// kept says that the balancer outlives the Service.
	kept bool
}

// tcp and udp are ports of Services; the API server chooses the node port.
func tcp(port int32) corev1.ServicePort {
	return corev1.ServicePort{Name: fmt.Sprintf("tcp-%d", port), Port: port, Protocol: corev1.ProtocolTCP}
}

func udp(port int32) corev1.ServicePort {
	return corev1.ServicePort{Name: fmt.Sprintf("udp-%d", port), Port: port, Protocol: corev1.ProtocolUDP}
}

// create makes a Service of type LoadBalancer with the ports 80 and 443 on the nodes of the
// pool. Edits may change it before. It is deleted with the test, and its balancer is waited
// for to be gone.
func create(t *testing.T, annotations map[string]string, edits ...func(*corev1.Service)) *service {
	t.Helper()
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "web-", Namespace: namespace, Annotations: map[string]string{nodeSelector: poolSelector}},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{tcp(80), tcp(443)},
			Selector: map[string]string{"app": "web"},
		},
	}
	maps.Copy(svc.Annotations, annotations)
	for _, edit := range edits {
		edit(svc)
	}
	made, err := env.Client().CoreV1().Services(namespace).Create(within(t), svc, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, name: made.Name, uid: made.UID}
	t.Cleanup(s.remove)
	return s
}

// get returns the Service as it is.
func (s *service) get() *corev1.Service {
	s.t.Helper()
	svc, err := env.Client().CoreV1().Services(namespace).Get(within(s.t), s.name, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return svc
}

// edit changes the Service.
func (s *service) edit(change func(*corev1.Service)) {
	s.t.Helper()
	services := env.Client().CoreV1().Services(namespace)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		svc, err := services.Get(within(s.t), s.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(svc)
		_, err = services.Update(within(s.t), svc, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// annotate sets annotations, in one write.
func (s *service) annotate(annotations map[string]string) {
	s.t.Helper()
	s.patch(func(key string) any { return annotations[key] }, slices.Collect(maps.Keys(annotations))...)
}

// unset removes annotations, in one write.
func (s *service) unset(keys ...string) {
	s.t.Helper()
	s.patch(func(string) any { return nil }, keys...)
}

func (s *service) patch(value func(string) any, keys ...string) {
	s.t.Helper()
	if err := s.tryPatch(value, keys...); err != nil {
		s.t.Fatal(err)
	}
}

// touchUnlessGone touches a Service whose deletion may have ended.
func (s *service) touchUnlessGone() {
	s.t.Helper()
	err := s.tryPatch(func(string) any { return fmt.Sprint(serial.Add(1)) }, "example.com/touched")
	if err != nil && !apierrors.IsNotFound(err) {
		s.t.Fatal(err)
	}
}

func (s *service) tryPatch(value func(string) any, keys ...string) error {
	s.t.Helper()
	annotations := map[string]any{}
	for _, key := range keys {
		annotations[key] = value(key)
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = env.Client().CoreV1().Services(namespace).Patch(within(s.t), s.name, types.MergePatchType, body, metav1.PatchOptions{})
	return err
}

// touch changes an annotation that means nothing to anybody, so that the Service is looked
// at now and not when a wait is over.
func (s *service) touch() {
	s.t.Helper()
	s.annotate(map[string]string{"example.com/touched": fmt.Sprint(serial.Add(1))})
}

// event waits for an Event on the Service whose message has all parts.
func (s *service) event(reason string, parts ...string) *corev1.Event {
	s.t.Helper()
	e, err := env.WaitEvent(within(s.t), lab.EventFilter{
		Kind: "Service", Namespace: namespace, Name: s.name, Reason: reason, Contains: parts,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

// await waits until the Service is as check wants it.
func (s *service) await(check func(*corev1.Service) error) *corev1.Service {
	s.t.Helper()
	svc, err := env.WaitService(within(s.t), namespace, s.name, func(svc *corev1.Service) error {
		if svc == nil {
			return errors.New("there is no such service")
		}
		return check(svc)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return svc
}

// ready waits until the balancer serves and the Service says where. A new balancer is not
// looked at for ten seconds; touching the Service shortens that.
func (s *service) ready() (*corev1.Service, do.Balancer) {
	s.t.Helper()
	b := s.balancer(active)
	s.touch()
	svc := s.await(func(svc *corev1.Service) error {
		if len(svc.Status.LoadBalancer.Ingress) == 0 || svc.Annotations[idKey] != b.ID {
			return fmt.Errorf("status %+v, id %q, want %s", svc.Status.LoadBalancer, svc.Annotations[idKey], b.ID)
		}
		return nil
	})
	return svc, b
}

// released waits until the Service has no balancer any more and is not held for one.
func (s *service) released() {
	s.t.Helper()
	s.await(func(svc *corev1.Service) error {
		if len(svc.Finalizers)+len(svc.Status.LoadBalancer.Ingress) > 0 {
			return fmt.Errorf("it has the finalizers %q and the status %+v", svc.Finalizers, svc.Status.LoadBalancer)
		}
		return nil
	})
}

// tag is the tag that only this Service's balancer has.
func (s *service) tag() string {
	return "ccm-service:" + namespace + ":" + s.name + ":" + string(s.uid)
}

// tagged returns nil when the balancer has all our ownership tags.
func (s *service) tagged(b *do.Balancer) error {
	for _, tag := range []string{"k8s:lab", "ccm-cluster:kubernetes", "ccm-cloud:digitalocean", s.tag()} {
		if !slices.Contains(b.Tags, tag) {
			return fmt.Errorf("the tag %s is missing among %q", tag, b.Tags)
		}
	}
	return nil
}

func active(b *do.Balancer) error {
	if b.Status != do.BalancerActive {
		return fmt.Errorf("the balancer is %s", b.Status)
	}
	return nil
}

// balancer waits until the Service has a balancer as check wants it.
func (s *service) balancer(check func(*do.Balancer) error) do.Balancer {
	s.t.Helper()
	var found do.Balancer
	last := errors.New("the cloud has not been looked at")
	err := env.Cloud.Await(within(s.t), func(state do.State) bool {
		all := s.balancersIn(state)
		switch len(all) {
		case 0:
			last = errors.New("it has no balancer")
		case 1:
			found = all[0]
			last = check(&found)
		default:
			last = fmt.Errorf("it has %d balancers", len(all))
		}
		return last == nil
	})
	if err != nil {
		s.t.Fatalf("waiting for the balancer of %s: %v; last state: %v; its creations and the last requests of all:\n%s\n%s", s.name, err, last, s.requests(), asked(env.Cloud.Counters().Total-40))
	}
	return found
}

// balancersIn returns the balancers with the Service's ownership tag or the name upstream gives it.
func (s *service) balancersIn(state do.State) []do.Balancer {
	var own []do.Balancer
	for _, b := range state.Balancers {
		if slices.Contains(b.Tags, s.tag()) || b.Name == s.legacyName() {
			own = append(own, b)
		}
	}
	return own
}

// legacyName is the name upstream derives from the UID.
func (s *service) legacyName() string {
	return ("a" + strings.ReplaceAll(string(s.uid), "-", ""))[:32]
}

// requests lists the changes the cloud was asked for on behalf of the Service.
func (s *service) requests() string {
	var lines []string
	for _, r := range env.Cloud.Requests() {
		if r.Method != "GET" && (strings.Contains(r.Body, string(s.uid)) || strings.Contains(r.Body, s.legacyName())) {
			lines = append(lines, fmt.Sprintf("%s %s %s → %d", r.Method, r.Path, r.Body, r.Status))
		}
	}
	return strings.Join(lines, "\n")
}

// remove deletes the Service and waits until nothing of it is left.
func (s *service) remove() {
	s.t.Helper()
	err := env.Client().CoreV1().Services(namespace).Delete(within(s.t), s.name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		s.t.Error(err)
	}
	s.gone()
	if left := s.balancersIn(env.Cloud.State()); len(left) > 0 && !s.kept {
		s.t.Errorf("service %s is gone and its balancer is not: %+v", s.name, left)
	}
}

// gone waits until there is no such Service.
func (s *service) gone() {
	s.t.Helper()
	_, err := env.WaitService(within(s.t), namespace, s.name, func(svc *corev1.Service) error {
		if svc == nil || svc.UID != s.uid {
			return nil
		}
		return fmt.Errorf("it is still there, with the finalizers %q", svc.Finalizers)
	})
	if err != nil {
		s.t.Error(err)
	}
}
