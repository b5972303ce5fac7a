package sim_test

import (
	"context"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
)

// defectVariable names the defect that the driver under test has.
const defectVariable = "SIM_TEST_DEFECT"

// TestSuiteFindsDefects proves that the conformance suite can fail: it runs this test
// binary again with a driver that breaks one promise, and wants the sub-test of that
// promise to fail.
func TestSuiteFindsDefects(t *testing.T) {
	if os.Getenv(defectVariable) != "" {
		t.Skip("this is the defective run")
	}
	for defect, want := range map[string]string{
		"one page only":           "instances/list_is_complete_over_several_pages",
		"always complete":         "instances/a_failed_page_is_an_error_or_incomplete",
		"first of the name":       "instances/find_by_name",
		"errors mean absent":      "failures/503",
		"errors mean no balancer": "failures/401",
		"no retry after":          "failures/429",
		"retries":                 "failures/drivers_never_retry",
		"deaf to cancellation":    "cancellation",
		"leaks":                   "goroutines",
		"writes while observing":  "balancers/observe_and_normalize_write_nothing",
		"counting":                "balancers/normalize_is_pure",
		"edits its input":         "balancers/normalize_is_pure",
		"unsorted ranges":         "balancers/variations/source_ranges",
		"ignores an annotation":   "balancers/variations/multicloud-ccm.io/algorithm",
		"ignores pins":            "balancers/variations/multicloud-ccm.io/internal",
		"looks by id only":        "balancers/a_change_interrupted_anywhere",
		"forgets ownership tags":  "balancers/ownership/ownership_tags_survive_updates",
		"never deletes":           "balancers/deleting_twice",
		"never empties targets":   "balancers/targets_come_and_go",
		"everybody's routes":      "routes/routes_of_other_clusters",
	} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			pattern := "^TestConformance$/^" + strings.ReplaceAll(want, "/", "$/^")
			run := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run", pattern)
			run.Env = append(os.Environ(), defectVariable+"="+defect)
			out, err := run.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestConformance/"+want) {
				t.Errorf("the suite did not notice (%v):\n%s", err, out)
			}
		})
	}
}

// defective is the driver with one promise broken.
type defective struct {
	*sim.Driver
	defect string
	world  *world.World
	count  *atomic.Int64
}

func withDefect(driver *cloud.Driver, w *world.World) *cloud.Driver {
	if defect := os.Getenv(defectVariable); defect != "" {
		return cloudtest.Driver(defective{driver.Account.(*sim.Driver), defect, w, new(atomic.Int64)})
	}
	return driver
}

func (d defective) Classify(err error) cloud.Failure {
	failure := d.Driver.Classify(err)
	if d.defect == "no retry after" {
		failure.RetryAfter = 0
	}
	return failure
}

func (d defective) Identity(ctx context.Context) (cloud.Identity, error) {
	switch d.defect {
	case "deaf to cancellation":
		ctx = context.WithoutCancel(ctx)
	case "leaks":
		go func() { select {} }()
	}
	return d.Driver.Identity(ctx)
}

func (d defective) Instances() cloud.Instances { return defectiveInstances{d.Driver, d} }

func (d defective) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	switch d.defect {
	case "writes while observing":
		_, _ = d.Apply(ctx, cloud.Change{Before: cloud.Observed{Found: true, ID: "lb-0"}})
	case "looks by id only":
		if in.ID == "" {
			return cloud.Observed{}, nil
		}
	}
	observed, err := d.Driver.Observe(ctx, in)
	if d.defect == "errors mean no balancer" {
		return observed, nil
	}
	return observed, err
}

func (d defective) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	if d.defect == "ignores pins" {
		in.Preserved = nil
	}
	b, notes, err := d.Driver.Normalize(in)
	switch d.defect {
	case "counting":
		b.Name += "-" + strconv.FormatInt(d.count.Add(1), 10)
	case "edits its input":
		for i := range in.SourceRanges {
			in.SourceRanges[i] = netip.MustParsePrefix("::/0")
		}
	case "unsorted ranges":
		slices.Reverse(b.Allow)
	case "ignores an annotation":
		b.ProviderFields["algorithm"] = "round_robin"
	}
	return b, notes, err
}

func (d defective) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	switch {
	case change.After == nil && d.defect == "never deletes":
		return cloud.Progress{}, nil
	case change.After != nil && change.Before.Found && d.defect == "forgets ownership tags":
		change.After.OwnershipTags = nil
	case change.After != nil && len(change.After.Targets) == 0 && d.defect == "never empties targets":
		change.After.Targets = change.Before.Balancer.Targets
	}
	return d.Driver.Apply(ctx, change)
}

func (d defective) ListRoutes(ctx context.Context, owner cloud.Owner) ([]cloud.Route, error) {
	if d.defect != "everybody's routes" {
		return d.Driver.ListRoutes(ctx, owner)
	}
	var routes []cloud.Route
	for _, r := range d.world.State().Routes {
		routes = append(routes, cloud.Route{Name: r.ID, Destination: r.Destination, Target: cloud.InstanceID(r.Machine)})
	}
	return routes, nil
}

type defectiveInstances struct {
	cloud.Instances
	d defective
}

func (i defectiveInstances) List(ctx context.Context) (cloud.InstanceList, error) {
	list, err := i.Instances.List(ctx)
	switch i.d.defect {
	case "one page only":
		list.Items = list.Items[:min(len(list.Items), 100)]
	case "always complete":
		return cloud.InstanceList{Items: list.Items, Complete: true}, nil
	}
	return list, err
}

func (i defectiveInstances) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found, err := i.Instances.Get(ctx, ids...)
	switch {
	case i.d.defect == "errors mean absent":
		return found, nil
	case i.d.defect == "retries" && err != nil:
		return i.Instances.Get(ctx, ids...)
	}
	return found, err
}

func (i defectiveInstances) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	found, err := i.Instances.FindByName(ctx, name)
	if i.d.defect == "first of the name" && len(found) > 1 {
		found = found[:1]
	}
	return found, err
}
