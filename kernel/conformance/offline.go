package conformance

import (
	"context"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// offline checks a driver that sends no request, see Harness.Offline.
func (s *suite) offline(t *testing.T) {
	s.each(t, []check{
		{"an empty cloud has an empty complete list", emptyList},
		{"nothing is read by id or by name", nothingRead},
		{"malformed provider ids are errors", malformedProviderIDs},
		{"machines that only their nodes describe cost nothing and are never gone", describedNodes},
		{"a cancelled call fails", cancelledOffline},
	})
}

// agreesOffline checks that descriptor and harness agree on whether there is an API, and that there can be machines without one.
func (s *suite) agreesOffline(t *testing.T, driver *cloud.Driver) {
	if s.Descriptor.Offline != s.Offline {
		t.Errorf("Offline: the descriptor says %t, the harness %t", s.Descriptor.Offline, s.Offline)
	}
	if s.Descriptor.Offline && driver.Machines.Describer == nil {
		t.Error("Offline: no Node could describe its machine, and there would be none")
	}
}

// nothingRead checks that no machine is there but those of Nodes, and that nobody was asked for them.
func nothingRead(f *fixture) {
	for _, id := range []cloud.InstanceID{"1", cloud.DescribedInstance("node-1")} {
		if got, err := f.driver.Machines.Get(f.ctx(), id); err != nil || len(got) > 0 {
			f.Errorf("Get(%q) = %v, %v; want nothing", id, got, err)
		}
	}
	if got, err := f.driver.Machines.FindByName(f.ctx(), "node-1"); err != nil || len(got) > 0 {
		f.Errorf("FindByName = %v, %v; want nothing", got, err)
	}
	if _, err := f.driver.Identity(f.ctx()); err != nil {
		f.Errorf("Identity: %v", err)
	}
	if n := f.requests(); n > 0 {
		f.Errorf("%d requests", n)
	}
}

// cancelledOffline checks that an answer which came after the end of its context counts for nothing.
func cancelledOffline(f *fixture) {
	ctx, cancel := context.WithCancel(f.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Identity":   func() error { _, err := f.driver.Identity(ctx); return err },
		"List":       func() error { _, err := f.driver.Machines.List(ctx); return err },
		"Get":        func() error { _, err := f.driver.Machines.Get(ctx, "1"); return err },
		"FindByName": func() error { _, err := f.driver.Machines.FindByName(ctx, "node-1"); return err },
	} {
		if err := call(); err == nil || f.driver.Classify(err).Class == cloud.FailureNotFound {
			f.Errorf("%s: cancelled, and the error is %v", name, err)
		}
	}
}
