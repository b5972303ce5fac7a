package conformance

import (
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// names compares the names of all fields.
func (w Written) names(t *testing.T) {
	c := run.Decorate(w.Driver, run.Options{Descriptor: w.Descriptor, Annotations: w.Annotations})
	has := map[string]bool{}
	for _, annotations := range w.Services {
		svc := w.service(annotations)
		svc.Spec.IPFamilies = append(svc.Spec.IPFamilies, corev1.IPv6Protocol)
		svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
		in := request.Read(svc, c, request.Cluster{ID: "prod"}).Input
		in.Findings, in.Candidates = w.Before.Findings, []cloud.Target{target()}
		w.fields(t, in, has)
	}
	was, kind := map[string]bool{}, ""
	for line := range strings.Lines(w.Fields) {
		if of, names, is := strings.Cut(line, ":"); is {
			kind, line = strings.TrimSpace(of), names
			was[kind] = true
		}
		for name := range strings.FieldsSeq(line) {
			was[kind+": "+name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if !was[name] {
			t.Errorf("%q is new: it goes into this test, and into plans and annotations that later versions read, so that its name stays", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if !has[name] {
			t.Errorf("%q is gone: plans and annotations that earlier versions wrote have this name", name)
		}
	}
}

// fields adds the names of the fields that a Service has.
func (w Written) fields(t *testing.T, in cloud.Input, has map[string]bool) {
	add := func(kind, name string) { has[kind], has[kind+": "+strings.ReplaceAll(name, " ", "_")] = true, true }
	after, _, err := w.reader().Normalize(in)
	if err != nil {
		t.Fatalf("%v: %v", in.Options, err)
	}
	for name := range after.Fields() {
		add("balancer", name)
	}
	for _, l := range after.Listeners {
		for name := range l.Fields() {
			add("listener", name)
		}
	}
	driver := w.Driver.Balancers.Composite
	if driver == nil {
		return
	}
	after.Targets = []cloud.InstanceID{target().InstanceID}
	parts, err := driver.Resources(t.Context(), cloud.Change{Input: in, Before: w.Before, After: &after})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts.Wanted {
		for _, field := range part.Fields.All() {
			add("resource "+part.Kind, field.Name())
		}
	}
	for _, kind := range driver.ResourceKinds() {
		has["resource "+kind.Name] = true
		for _, field := range slices.Concat(kind.Immutable, kind.Last, kind.Separate) {
			add("resource "+kind.Name, field.Name())
		}
	}
}
