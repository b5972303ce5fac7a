package conformance

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

var update = flag.Bool("update", false, "rewrite golden files instead of comparing with them")

// Updating reports whether golden files are being rewritten. Packages that call Run have
// the flag -update from here and must not define it themselves.
func Updating() bool { return *update }

// goldenFolder is below the package that calls Run.
var goldenFolder = filepath.Join("testdata", "plans")

// plans compares what the driver makes of the standard Services with golden files. They are
// read in reviews: a change of the driver shows as a change of its plans. Nothing is made, so they
// share a cloud.
func (s *suite) plans(t *testing.T) {
	f := s.start(t)
	in := f.withMachines(f.spec(basic), "node-1", "node-2")
	for _, service := range Standard() {
		t.Run(service.Name, func(t *testing.T) {
			if why := s.impossible(service); why != "" {
				t.Skip(why)
			}
			compare(f.in(t), service, in.Candidates)
		})
	}
	t.Run("no golden file is left over", func(t *testing.T) {
		files, err := os.ReadDir(goldenFolder)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !slices.ContainsFunc(Standard(), func(service Service) bool {
				return service.Name+".txt" == file.Name() && s.impossible(service) == ""
			}) {
				t.Errorf("%s belongs to no Service this cloud can have", filepath.Join(goldenFolder, file.Name()))
			}
		}
	})
}

func compare(f *fixture, service Service, nodes []cloud.Target) {
	f.Helper()
	got := summary(f, service, nodes)
	path := filepath.Join(goldenFolder, service.Name+".txt")
	if *update {
		f.must(os.MkdirAll(goldenFolder, 0o755), "making the golden folder")
		f.must(os.WriteFile(path, []byte(got), 0o644), "writing the golden file")
		return
	}
	want, err := os.ReadFile(path)
	f.must(err, "reading the golden file (-update writes it)")
	if difference := cmp.Diff(string(want), got); difference != "" {
		f.Errorf("plan differs from %s (-want +got):\n%s", path, difference)
	}
}

// summary describes the balancer a Service gets: every value a new balancer would be
// created with, the driver's notes, and the kernel's of fields without effect. Targets have the names of their nodes, because ids
// are the cloud's choice, and so has what is in Harness.Names.
func summary(f *fixture, service Service, nodes []cloud.Target) string {
	f.Helper()
	in := f.spec(service)
	in.Candidates = nodes
	d := f.difference(in)
	names := map[string]string{}
	maps.Copy(names, f.suite.Names)
	for _, candidate := range d.input.Candidates {
		names[string(candidate.InstanceID)] = candidate.NodeName
	}
	p := plan.Plan{Cloud: f.suite.Descriptor.Name, Subject: "Service shop/" + service.Name, Operations: creation(d.after)}
	for i, op := range p.Operations {
		if name, ok := names[op.Key]; ok {
			p.Operations[i].Key = name
		}
		if name, ok := names[op.After]; ok {
			p.Operations[i].After = name
		}
	}
	slices.SortStableFunc(p.Operations, func(a, b cloud.Operation) int {
		return strings.Compare(string(a.Kind)+a.Key, string(b.Kind)+b.Key)
	})
	var out strings.Builder
	f.must(p.Text(&out), "printing")
	for _, note := range d.notes {
		fmt.Fprintf(&out, "note on %s: %s\n", note.Field, note.Message)
	}
	for _, message := range f.suite.ignored(service) {
		fmt.Fprintf(&out, "note on %s\n", message)
	}
	return out.String()
}

// creation is what a new balancer is created with; listeners with their fields too.
func creation(b cloud.Balancer) []cloud.Operation {
	bare := b.Clone()
	for i := range bare.Listeners {
		bare.Listeners[i].ProviderFields, bare.Listeners[i].Health = nil, nil
	}
	operations := append(difference.Of(cloud.Balancer{}, bare), difference.Of(bare, b)...)
	for i := range operations {
		operations[i].Verb = cloud.Create
	}
	return operations
}

// recorder is a cloud.Composite of which every step that is carried out is noted down.
type recorder struct {
	cloud.Composite
	steps *[]cloud.Operation
}

// recording returns the driver, with a recorder where it is composite.
func (f *fixture) recording() *cloud.Driver {
	group := f.group()
	if group.Composite == nil {
		return f.driver
	}
	group.Composite = &recorder{Composite: group.Composite, steps: f.steps}
	driver := *f.driver
	driver.Balancers = &group
	return &driver
}

func (r *recorder) note(verb cloud.Verb, kind, key string) {
	*r.steps = append(*r.steps, cloud.Operation{Verb: verb, Kind: cloud.Kind(kind), Key: key})
}

func (r *recorder) noteAll(verb cloud.Verb, list []cloud.Resource) {
	for _, one := range list {
		r.note(verb, one.Kind, one.Key)
	}
}

func (r *recorder) ResourceKinds() []cloud.ResourceKind {
	kinds := slices.Clone(r.Composite.ResourceKinds())
	for i, kind := range kinds {
		kinds[i].Create = func(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
			r.note(cloud.Create, kind.Name, wanted.Key)
			return kind.Create(ctx, wanted, with)
		}
		if kind.CreateBalancer != nil {
			kinds[i].CreateBalancer = func(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (cloud.Made, error) {
				r.note(cloud.Create, kind.Name, wanted.Key)
				return kind.CreateBalancer(ctx, wanted, with)
			}
		}
		kinds[i].Update = func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
			r.note(cloud.Update, kind.Name, wanted.Key)
			return kind.Update(ctx, present, wanted, fields)
		}
		kinds[i].Delete = func(ctx context.Context, present cloud.Resource) error {
			r.note(cloud.Delete, kind.Name, present.Key)
			return kind.Delete(ctx, present)
		}
		kinds[i].Add = func(ctx context.Context, wanted []cloud.Resource) error {
			r.noteAll(cloud.Create, wanted)
			return kind.Add(ctx, wanted)
		}
		kinds[i].Remove = func(ctx context.Context, present []cloud.Resource) error {
			r.noteAll(cloud.Delete, present)
			return kind.Remove(ctx, present)
		}
		kinds[i].Write = func(ctx context.Context, id string, wanted []cloud.Resource) error {
			r.note(cloud.Update, kind.Name, "")
			return kind.Write(ctx, id, wanted)
		}
	}
	return kinds
}

// plannedSteps returns the steps that a change takes, nil where the cloud writes whole objects.
func (f *fixture) plannedSteps(change cloud.Change) (*[]cloud.Operation, error) {
	_, planner := composite.Balancers(f.driver)
	if planner == nil {
		return nil, nil
	}
	steps, err := planner.Forecast(f.ctx(), change)
	return &steps, err
}

// asPlanned checks that what was carried out is what the plan said, step by step.
func (f *fixture) asPlanned(planned *[]cloud.Operation) error {
	if planned == nil {
		return nil
	}
	plain := []cloud.Operation{}
	for _, op := range *planned {
		step := cloud.Operation{Verb: op.Verb, Kind: op.Kind, Key: op.Key}
		if isBatch(f, op.Kind) {
			step.Key = ""
		}
		plain = append(plain, step)
	}
	if difference := cmp.Diff(plain, append([]cloud.Operation{}, *f.steps...)); difference != "" {
		return fmt.Errorf("the steps that were carried out are not the plan (-planned +carried out):\n%s", difference)
	}
	return f.traffic().planned(*f.since, *planned)
}

func isBatch(f *fixture, name cloud.Kind) bool {
	c := f.group().Composite
	return c != nil && slices.ContainsFunc(c.ResourceKinds(), func(k cloud.ResourceKind) bool {
		return k.Name == string(name) && k.Batch.Name() != ""
	})
}
