// Package conformance is the specification of a driver, as a test suite: whatever the
// comments in kernel/cloud promise, Run checks against a driver and a cloud it can steer.
//
// A driver is done when its own test says
//
//	conformance.Run(t, conformance.Harness{New: newDriverOnTestCloud, …})
//
// and that test is green with -race. Golden plans live in the testdata folder of the
// package that calls Run and are rewritten with -update.
package conformance

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
)

// patience bounds whatever should be immediate. It is generous because it only decides how
// long a broken driver is waited for.
const patience = 10 * time.Second

// suite is one run.
type suite struct {
	Harness
	seen seen
}

// Run checks everything the driver contract promises, each promise as a sub-test.
func Run(t *testing.T, h Harness) {
	t.Helper()
	s := &suite{Harness: h, seen: seen{}}
	t.Run("descriptor", s.descriptor)
	t.Run("annotations", s.annotations)
	t.Run("identity", s.identity)
	if h.Offline {
		t.Run("offline", s.offline)
		return
	}
	t.Run("instances", s.instances)
	if h.Descriptor.Capabilities.Balancers {
		t.Run("balancers", s.balancers)
		t.Run("plans", s.plans)
		t.Run("takeover", s.takeover)
	}
	if h.Descriptor.Capabilities.Routes {
		t.Run("routes", s.routes)
	}
	t.Run("failures", s.failures)
	t.Run("hostile answers", s.hostile)
	t.Run("cancellation", s.cancellation)
	t.Run("goroutines", s.goroutines)
}

// fixture is a driver on a fresh cloud.
type fixture struct {
	*testing.T
	suite   *suite
	driver  *cloud.Driver
	control Control
	// steps are those that were carried out on a cloud.Composite.
	steps *[]cloud.Operation
	// since is how many writes the cloud had received when the change began.
	since *int
	// rests counts the steps that could follow without a look, and made is what the last creation told, nil once it was compared.
	rests int
	made  *cloud.Observed
}

func (s *suite) start(t *testing.T) *fixture {
	t.Helper()
	driver, control := s.New(t)
	return &fixture{T: t, suite: s, driver: driver, control: control, steps: &[]cloud.Operation{}, since: new(int)}
}

// in returns the fixture for a sub-test that shares its cloud with others.
func (f *fixture) in(t *testing.T) *fixture {
	shared := *f
	shared.T = t
	return &shared
}

// check is one promise, checked on a cloud of its own.
type check struct {
	name string
	run  func(*fixture)
}

func (s *suite) each(t *testing.T, checks []check) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.run(s.start(t)) })
	}
}

// ctx returns a context for one call of the driver.
func (f *fixture) ctx() context.Context {
	ctx, cancel := context.WithTimeout(f.Context(), patience)
	f.Cleanup(cancel)
	return ctx
}

func (f *fixture) balancers() cloud.Balancers {
	f.Helper()
	b, _ := composite.Balancers(f.recording())
	if b == nil {
		f.Fatal("the descriptor says Balancers, but the driver has none")
	}
	return b
}

// group is what the driver has for balancers, with no member where it has nothing.
func (f *fixture) group() cloud.BalancerGroup {
	if f.driver.Balancers == nil {
		return cloud.BalancerGroup{}
	}
	return *f.driver.Balancers
}

// must fails the test when a call that has to succeed did not.
func (f *fixture) must(err error, doing string) {
	f.Helper()
	if err != nil {
		f.Fatalf("%s: %v (class %s)", doing, err, f.driver.Classify(err).Class)
	}
}

func (s *suite) descriptor(t *testing.T) {
	d := s.Descriptor
	if d.Name == "" || d.Title == "" || d.Status == "" || d.ProviderIDForm == "" || len(d.ProviderIDSchemes) == 0 {
		t.Errorf("name, title, status, provider-ID form and schemes are required: %+v", d)
	}
	if d.Limits.PageSize < 1 || d.Limits.GetBatch < 1 {
		t.Errorf("Limits.PageSize = %d and GetBatch = %d: both must be at least 1", d.Limits.PageSize, d.Limits.GetBatch)
	}
	if name := d.SchemesSetting; name != "" && !slices.ContainsFunc(d.Settings, func(s cloud.Setting) bool { return s.Name == name }) {
		t.Errorf("SchemesSetting: there is no Setting %s", name)
	}
	s.handedOver(s.start(t))
}

// annotations checks the declarations: they are documented, and a default means the same
// whether it is written down or not.
func (s *suite) annotations(t *testing.T) {
	if err := s.Annotations.Validate(); err != nil {
		t.Error(err)
	}
	s.portableKeys(t)
}

func (s *suite) identity(t *testing.T) {
	f := s.start(t)
	first, err := f.driver.Identity(f.ctx())
	f.must(err, "Identity")
	if (first.Account == "") != first.Unknown {
		t.Errorf("Identity: %+v: want an Account, or that it is Unknown", first)
	}
	second, err := f.driver.Identity(f.ctx())
	f.must(err, "Identity")
	if first != second {
		t.Errorf("Identity is not stable: %+v, then %+v", first, second)
	}
}
