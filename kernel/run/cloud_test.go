package run

import (
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric/metrictest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

func decorated(do func(context.Context) error) (*Cloud, *metrictest.Ledger) {
	metrics := metrictest.New()
	return Decorate(cloudtest.Driver(&fakeDriver{do}), Options{Name: "c", Metrics: metrics}), metrics
}

// TestEveryCall checks what holds for each I/O method: a name, a deadline, an error with its
// class, containment, and that only reads are repeated.
func TestEveryCall(t *testing.T) {
	for _, call := range driverCalls() {
		t.Run(call.op, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				c, metrics := decorated(func(ctx context.Context) error {
					calls++
					if op := transport.OperationOf(ctx); op != call.op {
						t.Errorf("operation = %q, want %q", op, call.op)
					}
					if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > cloud.CallTimeout {
						t.Errorf("deadline = %v, %v; want within %v", deadline, ok, cloud.CallTimeout)
					}
					return failing(cloud.FailureTransient)
				})
				err := call.call(t.Context(), c)
				if e, ok := errors.AsType[*cloud.Error](err); !ok || e.Class != cloud.FailureTransient || e.Op != call.op {
					t.Errorf("error = %#v, want a transient *cloud.Error of %q", err, call.op)
				}
				if want := map[bool]int{true: 3, false: 1}[call.read]; calls != want {
					t.Errorf("%d tries, want %d", calls, want)
				}
				if n := metrics.Sum(metric.CallFailures, "c", call.op, "transient"); n != 1 {
					t.Errorf("%v failures counted, want 1", n)
				}
			})
		})
		t.Run(call.op+" panics", func(t *testing.T) {
			calls := 0
			c, metrics := decorated(func(context.Context) error { calls++; panic("boom") })
			err := call.call(t.Context(), c)
			if p, ok := errors.AsType[*Panic](err); !ok || p.Value != "boom" || len(p.Stack) == 0 {
				t.Errorf("error = %v, want *Panic with a stack", err)
			}
			if calls != 1 || metrics.Sum(metric.CallFailures, "c", call.op, "unknown") != 1 {
				t.Errorf("calls = %d, metrics = %v; want one call counted as unknown", calls, metrics.Sums)
			}
		})
	}
}

func TestReadRetry(t *testing.T) {
	throttled := func(after time.Duration) error {
		return &classified{cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: after}}
	}
	transient := failing(cloud.FailureTransient)
	tests := map[string]struct {
		errs     []error // per try; success after the last
		tries    int
		class    cloud.Class // "" for success
		min, max time.Duration
	}{
		"success":                 {nil, 1, "", 0, 0},
		"transient once":          {[]error{transient}, 2, "", 100 * time.Millisecond, 300 * time.Millisecond},
		"transient twice":         {[]error{transient, transient}, 3, "", 300 * time.Millisecond, 900 * time.Millisecond},
		"transient always":        {[]error{transient, transient, transient}, 3, cloud.FailureTransient, 300 * time.Millisecond, 900 * time.Millisecond},
		"throttled 5 s":           {[]error{throttled(5 * time.Second)}, 2, "", 5 * time.Second, 5 * time.Second},
		"throttled too long":      {[]error{throttled(5*time.Second + 1)}, 1, cloud.FailureThrottled, 0, 0},
		"throttled, nothing said": {[]error{throttled(0)}, 2, "", 100 * time.Millisecond, 300 * time.Millisecond},
		"not found":               {[]error{failing(cloud.FailureNotFound)}, 1, cloud.FailureNotFound, 0, 0},
		"unauthorized":            {[]error{failing(cloud.FailureUnauthorized)}, 1, cloud.FailureUnauthorized, 0, 0},
		"conflict":                {[]error{failing(cloud.FailureConflict)}, 1, cloud.FailureConflict, 0, 0},
		"quota":                   {[]error{failing(cloud.FailureQuota)}, 1, cloud.FailureQuota, 0, 0},
		"unknown":                 {[]error{errors.New("what?")}, 1, cloud.FailureUnknown, 0, 0},
		"unknown to the driver, but the network": {
			[]error{&net.OpError{Op: "dial", Err: errors.New("refused")}, io.ErrUnexpectedEOF}, 3, "", 300 * time.Millisecond, 900 * time.Millisecond,
		},
		"said by our own transport": {
			[]error{&cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: time.Minute}, Err: errors.New("wait")}},
			1, cloud.FailureThrottled, 0, 0,
		},
		"refused by our own transport": {[]error{&transport.WriteRefused{}}, 1, cloud.FailureUnknown, 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				c, _ := decorated(func(context.Context) error {
					if tries++; tries <= len(test.errs) {
						return test.errs[tries-1]
					}
					return nil
				})
				start := time.Now()
				_, err := c.Account.Identity(t.Context())
				elapsed := time.Since(start)
				if tries != test.tries || elapsed < test.min || elapsed > test.max {
					t.Errorf("%d tries in %v, want %d in %v to %v", tries, elapsed, test.tries, test.min, test.max)
				}
				if (err == nil) != (test.class == "") || err != nil && cloud.FailureOf(err).Class != test.class {
					t.Errorf("error = %v, want class %q", err, test.class)
				}
			})
		})
	}
}

func TestHungCallEndsAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, metrics := decorated(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		start := time.Now()
		_, err := c.Account.Identity(t.Context())
		if elapsed := time.Since(start); elapsed != cloud.CallTimeout {
			t.Errorf("ended after %v, want %v", elapsed, cloud.CallTimeout)
		}
		if !cloud.IsClass(err, cloud.FailureTransient) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v, want transient and deadline exceeded", err)
		}
		if up, ok := metrics.Gauge(metric.CloudState, "c"); !ok || up != 0 {
			t.Errorf("cloud state = %v, %v; want 0", up, ok)
		}
	})
}

func TestNoRetryBeyondTheCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		c, _ := decorated(func(context.Context) error {
			tries++
			return &classified{cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: 4 * time.Second}}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		start := time.Now()
		_, err := c.Account.Identity(ctx)
		if tries != 1 || time.Since(start) != 0 || !cloud.IsClass(err, cloud.FailureThrottled) {
			t.Errorf("%d tries in %v with %v, want one at once, throttled", tries, time.Since(start), err)
		}
	})
}

func TestGivenUpCallIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, metrics := decorated(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := c.Account.Identity(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want canceled", err)
		}
		if len(metrics.Sums)+len(metrics.Gauges) != 0 {
			t.Errorf("metrics = %v %v, want none", metrics.Sums, metrics.Gauges)
		}
	})
}

func TestCloudState(t *testing.T) {
	tests := []struct {
		err  error
		want float64
		set  bool
	}{
		{nil, 1, true},
		{failing(cloud.FailureUnauthorized), 0, true},
		{failing(cloud.FailureTransient), 0, true},
		{failing(cloud.FailureNotFound), 1, true},
		{failing(cloud.FailureThrottled), 1, true},
		{errors.New("what?"), 0, false},
	}
	for _, test := range tests {
		c, metrics := decorated(func(context.Context) error { return test.err })
		_, _ = c.Balancers.Apply(t.Context(), cloud.Change{})
		if got, set := metrics.Gauge(metric.CloudState, "c"); got != test.want || set != test.set {
			t.Errorf("after %v: state = %v, %v; want %v, %v", test.err, got, set, test.want, test.set)
		}
	}
}

func TestPureMethods(t *testing.T) {
	invalid := &cloud.Invalid{Field: "spec", Value: "v", Want: "w"}
	calls := map[string]func(c *Cloud) error{
		"parse provider id":  func(c *Cloud) error { _, err := c.Instances.ParseProviderID("x"); return err },
		"normalize balancer": func(c *Cloud) error { _, _, err := c.Balancers.Normalize(cloud.Input{}); return err },
		"normalize firewall": func(c *Cloud) error { _, err := c.Firewalls.NormalizeFirewall(nil); return err },
	}
	for op, call := range calls {
		c, metrics := decorated(func(context.Context) error { return invalid })
		err := call(c)
		if got, ok := errors.AsType[*cloud.Invalid](err); !ok || got != invalid || !cloud.IsClass(err, cloud.FailureInvalid) {
			t.Errorf("%s: error = %v, want the *cloud.Invalid", op, err)
		}
		if len(metrics.Sums)+len(metrics.Gauges) != 0 {
			t.Errorf("%s: metrics = %v %v, want none", op, metrics.Sums, metrics.Gauges)
		}
		c, _ = decorated(func(context.Context) error { panic("boom") })
		if p, ok := errors.AsType[*Panic](call(c)); !ok || p.Value != "boom" {
			t.Errorf("%s: a panic is not contained", op)
		}
	}
}

func TestNormalizePassesNotes(t *testing.T) {
	c, _ := decorated(func(context.Context) error { return nil })
	b, notes, err := c.Balancers.Normalize(cloud.Input{})
	if b.Name != "b" || len(notes) != 1 || err != nil {
		t.Errorf("Normalize = %v, %v, %v", b, notes, err)
	}
}

// bareDriver has nothing that can be absent.
type bareDriver struct{ cloud.Account }

func TestBareDriver(t *testing.T) {
	c := Decorate(cloudtest.Driver(bareDriver{&fakeDriver{}}), Options{Descriptor: cloud.Descriptor{Name: "p"}})
	if c.Balancers != nil || c.Routes != nil || c.Firewalls != nil {
		t.Errorf("a bare driver got %v, %v, %v", c.Balancers, c.Routes, c.Firewalls)
	}
	if c.Name != "p" || len(c.Annotations) == 0 {
		t.Errorf("name = %q, %d annotations; want the provider's name and the kernel's keys", c.Name, len(c.Annotations))
	}
}

// all is a driver with every member there is.
func all() *cloud.Driver {
	fake := &fakeDriver{}
	return &cloud.Driver{
		Account: fake, Operations: struct{ cloud.Operations }{}, Firewalls: fake, Tagger: struct{ cloud.Tagger }{},
		Machines: cloud.MachineGroup{
			Instances: fakeInstances{fake}, ProviderIDScope: struct{ cloud.ProviderIDScope }{}, Partition: struct{ cloud.Partition }{},
			NodeIdentity: struct{ cloud.NodeIdentity }{}, Namer: struct{ cloud.Namer }{}, Describer: struct{ cloud.Describer }{},
			Completer: struct{ cloud.Completer }{}, Labeler: struct{ cloud.Labeler }{},
		},
		Balancers: &cloud.BalancerGroup{
			Whole: fake, Composite: struct{ cloud.Composite }{}, Defaults: map[string]string{"a": "b"}, Impossible: map[string]string{"c": "d"},
			TargetLimit: struct{ cloud.TargetLimit }{}, Reach: struct{ cloud.Reach }{}, Validator: struct{ cloud.Validator }{},
			Checker: struct{ cloud.Checker }{}, Recorder: struct{ cloud.Recorder }{}, Replacer: struct{ cloud.Replacer }{},
			BulkLister: struct{ cloud.BulkLister }{}, OwnedLister: struct{ cloud.OwnedLister }{}, NetworkReader: struct{ cloud.NetworkReader }{},
		},
		Routes: &cloud.RouteGroup{Routes: fake, RouteScope: struct{ cloud.RouteScope }{}},
	}
}

// absent are the fields of a struct, or of one that it points to, that have no value.
func absent(of any) (names []string) {
	for field, value := range reflect.Indirect(reflect.ValueOf(of)).Fields() {
		if k := field.Type.Kind(); (k == reflect.Interface || k == reflect.Pointer || k == reflect.Map) && value.IsNil() {
			names = append(names, field.Name)
		}
	}
	return names
}

// A member that a driver hands over is there for the kernel, and one that it does not is not.
func TestMembersArrive(t *testing.T) {
	whole := all()
	for _, part := range []any{whole, whole.Machines, whole.Balancers, whole.Routes} {
		if names := absent(part); names != nil {
			t.Fatalf("%T: this test does not set %q", part, names)
		}
	}
	if names := absent(Decorate(whole, Options{Name: "c"})); !slices.Equal(names, []string{"Inventory"}) {
		t.Errorf("with everything the kernel has no %q, want no Inventory alone", names)
	}
	for name, test := range map[string]struct {
		drop func(*cloud.Driver)
		want []string
	}{
		"balancers": {func(d *cloud.Driver) { d.Balancers = nil }, []string{
			"Balancers", "Planner", "TargetLimit", "Reach", "Validator", "Checker", "Recorder", "Replacer", "BulkLister", "OwnedLister",
		}},
		"parts":      {func(d *cloud.Driver) { d.Balancers.Composite = nil }, []string{"Planner"}},
		"routes":     {func(d *cloud.Driver) { d.Routes = nil }, []string{"Routes", "RouteScope"}},
		"firewall":   {func(d *cloud.Driver) { d.Firewalls = nil }, []string{"Firewalls"}},
		"operations": {func(d *cloud.Driver) { d.Operations = nil }, []string{"Operations"}},
	} {
		driver := all()
		test.drop(driver)
		names := slices.DeleteFunc(absent(Decorate(driver, Options{Name: "c"})), func(name string) bool { return name == "Inventory" || name == "Defaults" })
		if !slices.Equal(names, test.want) {
			t.Errorf("without %s the kernel has no %q, want no %q", name, names, test.want)
		}
	}
}

func TestClassifyKnowsDecoratedErrors(t *testing.T) {
	c, _ := decorated(func(context.Context) error { return failing(cloud.FailureQuota) })
	_, err := c.Balancers.Apply(t.Context(), cloud.Change{})
	if class := c.Account.Classify(err).Class; class != cloud.FailureQuota {
		t.Errorf("class = %q, want quota", class)
	}
}

// lister lists these machines.
type lister struct {
	*fakeDriver
	list cloud.InstanceList
}

func (l lister) Instances() cloud.Instances { return listing{fakeInstances{l.fakeDriver}, l.list} }

type listing struct {
	fakeInstances
	list cloud.InstanceList
}

func (l listing) List(context.Context) (cloud.InstanceList, error) { return l.list, nil }

// Where pages move while they are read, one machine is in the list twice and another one may be missing.
func TestListWithAMachineTwiceIsIncomplete(t *testing.T) {
	for complete, ids := range map[bool][]cloud.InstanceID{true: {"1", "2", "3"}, false: {"1", "2", "1"}} {
		driver := lister{list: cloud.InstanceList{Complete: true}}
		for _, id := range ids {
			driver.list.Items = append(driver.list.Items, cloud.Instance{ID: id})
		}
		list, err := Decorate(cloudtest.Driver(driver), Options{}).Instances.List(t.Context())
		if want := map[bool]int{true: 3, false: 2}[complete]; err != nil || list.Complete != complete || len(list.Items) != want {
			t.Errorf("%q: complete %t, %d items, %v", ids, list.Complete, len(list.Items), err)
		}
	}
}
