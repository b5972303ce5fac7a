package loadbalancer

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/replacement"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// fixture is a manager with a cloud in memory.
type fixture struct {
	*Manager
	t      *testing.T
	driver *fakeDriver
	// wrapped is what the manager works with in place of driver, nil when it is driver.
	wrapped  cloud.Account
	machines *fakeMachines
	events   *fakeEvents
	svc      *corev1.Service
	nodes    []*corev1.Node
	// cluster are all Nodes, also those that balancers must not have.
	cluster  []*corev1.Node
	distrust error
	// others are what the lister shows.
	others   []*corev1.Service
	adoption safety.Adoption
	// again is when the last successful run wants another one.
	again time.Duration
}

func newFixture(t *testing.T, edits ...func(*corev1.Service)) *fixture {
	f := &fixture{t: t, driver: &fakeDriver{}, machines: &fakeMachines{}, events: &fakeEvents{}}
	f.svc, f.nodes = service(edits...), []*corev1.Node{node("a"), node("b"), node("c")}
	f.restart()
	return f
}

// adopts sets the operator's policy.
func (f *fixture) adopts(policy string) {
	f.t.Helper()
	adoption, err := safety.ParseAdoption(strings.Split(policy, ","))
	if err != nil {
		f.t.Fatal(err)
	}
	f.adoption = adoption
	f.restart()
}

// restart loses what the process remembers.
func (f *fixture) restart() { f.start(run.Live, fakeDescriptor) }

func (f *fixture) start(mode run.Mode, descriptor cloud.Descriptor) {
	var driver cloud.Account = f.driver
	if f.wrapped != nil {
		driver = f.wrapped
	}
	c := run.Decorate(cloudtest.Driver(driver), run.Options{Descriptor: descriptor, Annotations: fakeKeys})
	if steps, ok := driver.(composite.Planner); ok {
		c.Planner = steps
	}
	f.Manager = New(Options{
		Cloud: c, Machines: f.machines, Nodes: func() []*corev1.Node { return f.cluster }, Executor: run.NewExecutor(c, mode, nil, nil),
		ClusterID: "prod", Events: f.events, Metrics: metric.Discard{},
		Trust:    func(context.Context) error { return f.distrust },
		Services: f.cached, Adoption: f.adoption,
	})
}

// cached are the Services in the cache: none, or the others and the fixture's.
func (f *fixture) cached() []*corev1.Service {
	if len(f.others) == 0 || slices.ContainsFunc(f.others, func(svc *corev1.Service) bool { return svc.UID == f.svc.UID }) {
		return f.others
	}
	return append(slices.Clone(f.others), f.svc)
}

// ensure runs Ensure once and records on the Service what it says.
func (f *fixture) ensure() error {
	f.t.Helper()
	outcome, err := f.Ensure(f.t.Context(), f.svc, f.nodes)
	for key, value := range outcome.Record {
		if f.svc.Annotations[key] = value; value == "" {
			delete(f.svc.Annotations, key)
		}
	}
	if c := replacement.Condition(outcome.Record); c != nil {
		meta.SetStatusCondition(&f.svc.Status.Conditions, *c)
	}
	f.again = outcome.Again
	if err != nil {
		if outcome.Status != nil {
			f.t.Errorf("status %+v together with error %v", outcome.Status, err)
		}
		return err
	}
	f.svc.Status.LoadBalancer = *outcome.Status
	return nil
}

// age lets the last creation be so long ago that it does not count any more.
func (f *fixture) age() {
	f.t.Helper()
	p, _, err := f.begin(f.t.Context(), f.svc, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	p.Memory.Creation = creation.Record{}
	p.end()
	if made := creation.Of(f.svc); made != nil {
		made.At = made.At.Add(-time.Hour)
		maps.Copy(f.svc.Annotations, made.Annotation())
	}
}

// settle runs Ensure until it is done, waiting when it is pending.
func (f *fixture) settle() {
	f.t.Helper()
	for range 20 {
		err := f.ensure()
		if err == nil && f.again == 0 {
			return
		}
		if err == nil {
			err = &Pending{After: f.again}
		}
		pending, ok := errors.AsType[*Pending](err)
		if !ok {
			f.t.Fatalf("ensure: %v", err)
		}
		time.Sleep(pending.After)
	}
	f.t.Fatal("ensure is pending for ever")
}

// plan returns what Ensure would do now.
func (f *fixture) plan(nodes ...*corev1.Node) (plan.Plan, error) {
	f.t.Helper()
	forecast, err := f.Forecast(f.t.Context(), f.svc, nodes)
	return forecast.Plan, err
}

// only returns the one balancer there is.
func (f *fixture) only() *stored {
	f.t.Helper()
	if len(f.driver.balancers) != 1 {
		f.t.Fatalf("%d balancers, want 1", len(f.driver.balancers))
	}
	for _, s := range f.driver.balancers {
		return s
	}
	return nil
}

// wrote fails the test unless exactly these changes were made since the last call.
func (f *fixture) wrote(want ...string) {
	f.t.Helper()
	if got := strings.Join(f.driver.writes, " | "); got != strings.Join(want, " | ") {
		f.t.Errorf("writes: %s\nwant:   %s", got, strings.Join(want, " | "))
	}
	f.driver.writes = nil
}

// said fails the test unless exactly these events were recorded since the last call, each
// given by a part of it.
func (f *fixture) said(want ...string) {
	f.t.Helper()
	got := f.events.take()
	ok := len(got) == len(want)
	for i := range want {
		ok = ok && strings.Contains(got[i], want[i])
	}
	if !ok {
		f.t.Errorf("events %q\nwant   %q", got, want)
	}
}

// fails fails the test unless the error holds all the parts.
func fails(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q, want %q in it", err, part)
		}
	}
}

// waits fails the test unless the error is *Pending, for that time.
func waits(t *testing.T, err error, after time.Duration) {
	t.Helper()
	pending, ok := errors.AsType[*Pending](err)
	if !ok || pending.After != after {
		t.Fatalf("error %#v, want *Pending for %v", err, after)
	}
}

func service(edits ...func(*corev1.Service)) *corev1.Service {
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "0123-4567", Annotations: map[string]string{}},
		Spec: corev1.ServiceSpec{
			Type:       corev1.ServiceTypeLoadBalancer,
			IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
			Ports:      []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080}},
		},
	}
	for _, edit := range edits {
		edit(svc)
	}
	return svc
}

func annotated(key, value string) func(*corev1.Service) {
	return func(svc *corev1.Service) { svc.Annotations[key] = value }
}

func node(name string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}},
		Spec:       corev1.NodeSpec{ProviderID: "fake://" + name},
	}
}
