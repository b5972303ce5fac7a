package conformance

import (
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
	spec := f.withMachines(f.spec(basic), "node-1", "node-2")
	for _, service := range Standard() {
		t.Run(service.Name, func(t *testing.T) {
			if why := s.impossible(service); why != "" {
				t.Skip(why)
			}
			f.in(t).compare(service, spec.Candidates)
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

func (f *fixture) compare(service Service, nodes []cloud.Target) {
	f.Helper()
	got := f.portrait(service, nodes)
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

// portrait describes the balancer a Service gets: every value a new balancer would be
// created with, and the driver's notes. Targets have the names of their nodes, because ids
// are the cloud's choice, and so has what is in Harness.Names.
func (f *fixture) portrait(service Service, nodes []cloud.Target) string {
	f.Helper()
	spec := f.spec(service)
	spec.Candidates = nodes
	d := f.difference(spec)
	names := map[string]string{}
	maps.Copy(names, f.suite.Names)
	for _, candidate := range d.spec.Candidates {
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
