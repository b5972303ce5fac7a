package gce_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/compute/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

func TestAggregatedListInPages(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(1100)
	server.Load(gce.Seed{Instances: []gce.Instance{{Name: "far", Zone: "europe-west1-b"}}})
	server.ResetTraffic()
	seen, warned := map[string]bool{}, 0
	err := v.Instances.AggregatedList(project).MaxResults(500).ReturnPartialSuccess(true).Pages(t.Context(), func(page *compute.InstanceAggregatedList) error {
		for scope, list := range page.Items {
			for _, machine := range list.Instances {
				if seen[machine.SelfLink] || !strings.Contains(machine.SelfLink, scope) {
					t.Errorf("%s in %s", machine.SelfLink, scope)
				}
				seen[machine.SelfLink] = true
			}
			if len(list.Instances) == 0 {
				is(t, "warning", list.Warning.Code, "NO_RESULTS_ON_PAGE")
				warned++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	is(t, "machines", len(seen), 1101)
	is(t, "requests", server.Counters().Total, 3)
	is(t, "empty scopes on all pages", warned, 3*6-3-1)
}

func TestListOrderAndMask(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(12)
	list := must(v.Instances.List(project, zone).MaxResults(3).Do())(t)
	is(t, "second by name", list.Items[1].Name, "node-1")
	is(t, "third by name", list.Items[2].Name, "node-10")
	next := must(v.Instances.List(project, zone).MaxResults(3).PageToken(list.NextPageToken).Do())(t)
	is(t, "fourth by name", next.Items[0].Name, "node-11")
	newest := must(v.Instances.List(project, zone).OrderBy("creationTimestamp desc").MaxResults(2).Do())(t)
	is(t, "newest", newest.Items[0].Name, "node-11")
	is(t, "next newest", must(v.Instances.List(project, zone).OrderBy("creationTimestamp desc").MaxResults(2).PageToken(newest.NextPageToken).Do())(t).Items[0].Name, "node-9")
	_, err := v.Instances.List(project, zone).Filter("name = x").PageToken(list.NextPageToken).Do()
	is(t, "token of another list", refusal(t, err).Code, 400)

	masked := v.raw("GET aggregated/instances?maxResults=1&fields=items/*/instances(name,networkInterfaces/networkIP),nextPageToken", "").text
	for _, want := range []string{`"name":"node-0"`, `"networkIP":"10.128.0.2"`, "nextPageToken"} {
		is(t, "mask keeps "+want, strings.Contains(masked, want), true)
	}
	for _, gone := range []string{"selfLink", "warning", "kind"} {
		is(t, "mask keeps "+gone, strings.Contains(masked, gone), false)
	}
}

func TestUnreachableZone(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(2)
	server.Load(gce.Seed{Instances: []gce.Instance{{Name: "far", Zone: "europe-west1-b"}}})
	server.SetUnreachable("zones/" + zone)
	is(t, "rule", v.raw("GET aggregated/instances", "").rule, "common/unreachable")
	is(t, "rule", v.raw("GET zones/us-central1-a/instances", "").rule, "common/unreachable")
	list := must(v.Instances.AggregatedList(project).ReturnPartialSuccess(true).Do())(t)
	is(t, "warning", list.Items["zones/us-central1-a"].Warning.Code, "UNREACHABLE")
	is(t, "scope", list.Items["zones/us-central1-a"].Warning.Data[0].Value, "zones/us-central1-a")
	is(t, "others", len(list.Items["zones/europe-west1-b"].Instances), 1)
	server.SetUnreachable()
	is(t, "machines", len(must(v.Instances.List(project, zone).Do())(t).Items), 2)
}

func TestListsThatLag(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(1)
	server.HoldLists()
	server.SeedInstances(1)
	if err := server.Remove("projects/test-project/zones/us-central1-a/instances/node-0"); err != nil {
		t.Fatal(err)
	}
	must(v.Instances.Get(project, zone, "node-1").Do())(t)
	is(t, "machine in a list that lags", must(v.Instances.List(project, zone).Do())(t).Items[0].Name, "node-0")
	server.ReleaseLists()
	is(t, "machine", must(v.Instances.List(project, zone).Do())(t).Items[0].Name, "node-1")
}

// 5,000 machines are read in ten pages.
func TestManyMachines(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(5000)
	addresses := map[string]bool{}
	err := v.Instances.AggregatedList(project).Pages(context.WithoutCancel(t.Context()), func(page *compute.InstanceAggregatedList) error {
		for _, list := range page.Items {
			for _, machine := range list.Instances {
				addresses[machine.NetworkInterfaces[0].NetworkIP] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	is(t, "addresses", len(addresses), 5000)
	is(t, "requests", fmt.Sprint(server.Counters().Of("GET /compute/v1/projects/{project}/aggregated/instances")), "10")
}
