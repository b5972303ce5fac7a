package adopt

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

var update = flag.Bool("update", false, "write the golden files")

// entry is the plan of a Service.
func entry(name string, operations ...cloud.Operation) plan.Entry {
	return plan.Entry{Plan: plan.Plan{Cloud: "cloud", Subject: "Service shop/" + name, Operations: operations}}
}

func tagging(before, after string) cloud.Operation {
	return cloud.Operation{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: cloud.FieldOwnershipTags, Before: before, After: after, Reason: "says whose it is"}
}

// reports are those of clusters in each state.
func reports() map[string]Report {
	begin := func() Report {
		return Report{
			Version: Version, Cloud: "cloud", From: "cloud-controller-manager", Guide: Repository + "docs/how-to/migrate.md",
			Balancers: []Balancer{}, OwnershipTags: []OwnershipTag{}, Plans: []plan.Entry{}, Differences: []Difference{}, Summary: Summary{Nodes: 3},
		}
	}
	nothing, ownershipTags, changed, trouble := begin(), begin(), begin(), begin()
	web := Balancer{Service: "shop/web", ID: "lb-1", Name: "web", Addresses: []string{"192.0.2.1", "lb.example.com"}, Evidence: []string{"its name holds the UID of the Service"}}
	nothing.Balancers = append(nothing.Balancers, web)
	nothing.take(entry("web"))

	ownershipTags.Balancers = append(ownershipTags.Balancers, web, Balancer{Service: "shop/new"})
	stepped := entry("web", tagging("old,upstream", "uid=1,upstream"))
	stepped.Steps = []cloud.Operation{{Verb: cloud.Update, Kind: cloud.KindListener, Key: "tcp/80", Field: "tags", Before: "", After: "uid=1"}}
	ownershipTags.take(stepped)
	waiting := entry("new")
	waiting.Warnings = []plan.Warning{{Reason: event.WaitingForNodes.Name, Message: "no node\x07 yet"}}
	ownershipTags.take(waiting)
	ownershipTags.Differences = differences(waiting, nil)

	changed.Balancers = append(changed.Balancers, web)
	blockedOwnershipTag := tagging("a", "b")
	blockedOwnershipTag.Blocked = "not now"
	port := cloud.Operation{Verb: cloud.Create, Kind: cloud.KindListener, Key: "tcp/443", After: "TCP to 443", Reason: "spec.ports has it"}
	changed.take(entry("web", tagging("", "uid=1"), port, blockedOwnershipTag))
	changed.Differences = append(changed.Differences, changes.on("Service shop/web"), blocked.on("Service shop/web"), foreign.on("Node a\x1b"))

	renamed := begin()
	renamed.Balancers, renamed.OtherClusters = append(renamed.Balancers, web), []string{"kubernetes", "prod"}
	renamed.take(entry("web", tagging("cluster=prod", "cluster=production")))

	failed := entry("web")
	failed.Error = &plan.Failure{Class: cloud.FailureInvalid, Message: `"smoke" is not possible`}
	trouble.take(failed)
	trouble.Balancers = append(trouble.Balancers,
		Balancer{Service: "shop/lost", Error: &plan.Failure{Class: cloud.FailureTransient, Message: "the cloud is away"}},
		Balancer{Service: "shop/web", Refused: []string{"multicloud-ccm.io/adopt: there is no load balancer with this id"}})
	return map[string]Report{"nothing": nothing, "marks": ownershipTags, "changes": changed, "changes-renamed": renamed, "trouble": trouble}
}

func TestReports(t *testing.T) {
	for name, report := range reports() {
		t.Run(name, func(t *testing.T) {
			report.conclude()
			if want, _, _ := strings.Cut(name, "-"); string(report.Verdict) != want {
				t.Errorf("verdict %s, want %s", report.Verdict, want)
			}
			var text, data bytes.Buffer
			if err := report.Text(&text, layout.Page{Width: 100}); err != nil {
				t.Fatal(err)
			}
			if err := asJSON(&data, report); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", text.String())
			golden(t, name+".json", data.String())
		})
	}
}

// asJSON writes a report as the command line does.
func asJSON(w io.Writer, report Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestOtherClusters(t *testing.T) {
	for _, tt := range []struct{ ours, named, want []string }{
		{nil, nil, nil},
		{[]string{""}, []string{"prod"}, nil},
		{[]string{"prod"}, []string{"dev", "prod"}, nil}, // a neighbour
		{nil, []string{"kubernetes", "dev", "kubernetes"}, []string{"dev", "kubernetes"}},
		{[]string{"prod", "dev"}, []string{"prod", "dev", "neighbour"}, []string{"dev"}},
	} {
		got := otherClusters(cloud.Owner{Cluster: "prod"}, tt.ours, tt.named)
		if len(got)+len(tt.want) > 0 && !cmp.Equal(tt.want, got) {
			t.Errorf("ours %q, of all %q: %q, want %q", tt.ours, tt.named, got, tt.want)
		}
	}
}
