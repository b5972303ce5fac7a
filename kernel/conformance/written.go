package conformance

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/replacement"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Written is what a driver has written down where it outlives the process: on Services, and in plans that people keep. Later versions
// read it, so that none of it changes. The texts are literals in the test of the driver; there is no flag that rewrites them.
type Written struct {
	// Driver need not be connected: the kernel asks it what a Service gets, on a cloud in memory.
	Driver      *cloud.Driver
	Descriptor  cloud.Descriptor
	Annotations annotation.Set
	// ID is that of a load balancer, with %d for its number.
	ID string
	// Before is what the driver observes where there is no load balancer.
	Before cloud.Observed
	// From and To are the annotations of a Service before and after it asks for what only a new load balancer can have.
	From, To map[string]string
	// Replacement is the annotation of a replacement that has begun.
	Replacement string
	// Services are the annotations of Services that have all fields together, and Fields the names of these, with _ for a space: those of
	// a load balancer behind "balancer:", of its listeners behind "listener:", and of each kind of resources behind "resource ", the kind
	// and ":".
	Services []map[string]string
	Fields   string
}

// replacementKey is the annotation of a replacement, which is on Services by this name too.
const replacementKey = "multicloud-ccm.io/replacement"

// Check compares what this version writes with what was written, and goes on with that.
func (w Written) Check(t *testing.T) {
	t.Run("a replacement is written as it was", w.begins)
	t.Run("a replacement that was written goes on", func(t *testing.T) { w.goesOn(t, false) })
	t.Run("a replacement that was written is taken back", func(t *testing.T) { w.goesOn(t, true) })
	t.Run("names of fields", w.names)
}

// service is the Service, which all drivers can serve.
func (w Written) service(annotations map[string]string) *corev1.Service {
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "8b5a3c1e-0000-4000-8000-123456789abc", Annotations: map[string]string{}},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
			Ports: []corev1.ServicePort{
				{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080}, {Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, NodePort: 30443},
			},
		},
	}
	maps.Copy(svc.Annotations, annotations)
	return svc
}

// begins compares the annotation that a replacement begins with.
func (w Written) begins(t *testing.T) {
	u := w.upgrade(t)
	u.asks(w.To)
	for range passes {
		_ = u.ensure() // it is pending
		if text := u.svc.Annotations[replacementKey]; text != "" {
			if text != w.Replacement {
				t.Errorf("a replacement begins with the annotation\n%s\nwhich Services have from earlier versions as\n%s", text, w.Replacement)
			}
			return
		}
	}
	t.Errorf("no replacement has begun: %q", u.memory.wrote)
}

// goesOn upgrades with a Service that has the annotation, and its condition.
func (w Written) goesOn(t *testing.T, refused bool) {
	u := w.upgrade(t)
	begun := struct{ Was map[string]string }{}
	if err := json.Unmarshal([]byte(w.Replacement), &begun); err != nil {
		t.Fatal(err)
	}
	u.asks(w.To)
	u.svc.Annotations[replacementKey] = w.Replacement
	u.svc.Status.Conditions = []metav1.Condition{{Type: "multicloud-ccm.io/Replacement", Status: metav1.ConditionTrue, Reason: "Begun", Message: w.Replacement}}
	want := []string{"delete 1", "create 2"}
	if refused {
		u.memory.was, want = begun.Was, []string{"delete 1", "refuse", "create 2"}
	}
	for range passes {
		_ = u.ensure() // it is pending, or says what was refused
		text := u.svc.Annotations[replacementKey]
		if anew := text != "" && !strings.HasPrefix(text, strings.TrimSuffix(w.Replacement, "}")); anew || len(u.memory.wrote) == 0 {
			t.Fatalf("it does not go on, but begins anew, with the annotation\n%s", text)
		}
	}
	if got := u.memory.wrote; !slices.Equal(got, want) {
		t.Fatalf("it goes on with %q, want %q; refused were other values of %q", got, want, u.memory.refused)
	}
	if text, there := u.svc.Annotations[replacementKey]; there != refused {
		t.Errorf("in the end the annotation is %q", text)
	}
	if names := changed(u.memory.balancer.Fields(), begun.Was); refused != (len(names) == 0) {
		t.Errorf("the load balancer that is made has other values of %q", names)
	}
}

// changed returns the names of the fields that do not have these values. One that is not there has none.
func changed(fields, values map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool { return fields[name] == values[name] })
}

// upgraded is a Service that was served by an earlier version.
type upgraded struct {
	*testing.T
	written Written
	manager *loadbalancer.Manager
	memory  *memory
	svc     *corev1.Service
}

// upgrade serves the Service, and starts again.
func (w Written) upgrade(t *testing.T) *upgraded {
	t.Helper()
	u := &upgraded{T: t, written: w, memory: &memory{BalancerReader: w.reader(), id: w.ID, findings: w.Before.Findings}, svc: w.service(w.From)}
	u.start()
	if err := u.ensure(); err != nil || !slices.Equal(u.memory.wrote, []string{"create 1"}) {
		t.Fatalf("making the balancer: %v, wrote %q", err, u.memory.wrote)
	}
	u.memory.wrote = nil
	u.start()
	return u
}

func (w Written) reader() cloud.BalancerReader {
	if composite := w.Driver.Balancers.Composite; composite != nil {
		return composite
	}
	return w.Driver.Balancers.Whole
}

// start begins with nothing in memory.
func (u *upgraded) start() {
	w := u.written
	group := &cloud.BalancerGroup{Whole: u.memory, Defaults: w.Driver.Balancers.Defaults, Impossible: w.Driver.Balancers.Impossible}
	driver := &cloud.Driver{Account: w.Driver.Account, Balancers: group}
	c := run.Decorate(driver, run.Options{Descriptor: w.Descriptor, Annotations: w.Annotations})
	u.manager = loadbalancer.New(loadbalancer.Options{
		Cloud: c, Machines: machines{}, Executor: run.NewExecutor(c, run.Live, nil, nil), ClusterID: "prod", Events: silent{}, Metrics: metric.Discard{},
	})
}

// asks has the Service ask for what only a new balancer can have.
func (u *upgraded) asks(annotations map[string]string) {
	maps.DeleteFunc(u.svc.Annotations, func(key, _ string) bool { return u.written.From[key] != "" })
	maps.Copy(u.svc.Annotations, annotations)
	u.svc.Annotations[annotation.AllowReplacement.Name] = "true"
}

// ensure is one run, after which the Service has what the run says.
func (u *upgraded) ensure() error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: target().NodeName}, Spec: corev1.NodeSpec{ProviderID: u.written.Descriptor.ProviderIDSchemes[0] + "://1"}}
	outcome, err := u.manager.Ensure(u.Context(), u.svc, []*corev1.Node{node})
	maps.Copy(u.svc.Annotations, outcome.Record)
	maps.DeleteFunc(u.svc.Annotations, func(_, value string) bool { return value == "" })
	if c := replacement.Condition(outcome.Record); c != nil {
		u.svc.Status.Conditions = []metav1.Condition{*c}
	}
	if outcome.Status != nil {
		u.svc.Status.LoadBalancer = *outcome.Status
	}
	return err
}
