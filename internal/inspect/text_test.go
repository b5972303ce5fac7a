package inspect

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

var writeGolden = flag.Bool("update", false, "write the golden files")

// explanations are one with problems, and one without.
func explanations() map[string]Explanation {
	service := Explanation{Version: ExplanationVersion, Subject: "Service shop/web"}
	s := service.section("Annotations")
	s.add("load-balancer.hetzner.cloud/name", "shop-1", "counts as shop-1; another spelling of multicloud-ccm.io/name")
	for name, value := range map[string]string{"interval": "5", "timeout": "3", "healthy-threshold": "1", "unhealthy-threshold": "3"} {
		s.add("multicloud-ccm.io/health-check-"+name, value, "not set: the default of the configuration")
	}
	slices.SortStableFunc(s.Facts, func(a, b Fact) int { return strings.Compare(a.Name, b.Name) })
	s.problem("load-balancer.hetzner.cloud/hostnaem", "www.example.com", "ignored: want a known key; did you mean load-balancer.hetzner.cloud/hostname?")
	s = service.section("Load balancer")
	s.add("id", "3000002", "")
	s.add("whose", "this Service's", "its ownership tags have the UID of the Service; the status of the Service has one of its addresses")
	s.add("address", "198.19.0.11", "")
	s = service.section("Targets")
	s.add("elsewhere-1", "out", "its provider-ID belongs to another cloud")
	s.add("elsewhere-2", "out", "its provider-ID belongs to another cloud")
	s.add("node-0", "in", "machine 50000001")
	s.problem("node-1", "out, still attached", "its machine is off")
	s.problem("node-2", "out, still attached", "its machine is off")
	s = service.section("To be done now")
	s.add("update", "balancer ownership tags: hcloud-ccm/service-uid=1 → hcloud-ccm/service-uid=1,multicloud-ccm.io/cloud=hcloud,multicloud-ccm.io/cluster=kubernetes,multicloud-ccm.io/name=web", "says whose it is")

	node := Explanation{Version: ExplanationVersion, Subject: "Node node-0"}
	s = node.section("Whose it is")
	s.add("provider-ID", "hcloud://50000001", "spec.providerID; it never changes once it is set")
	s.add("initialised", "yes", "it lacks the taint node.cloudprovider.kubernetes.io/uninitialized")
	s.add("owner", "cloud hcloud", "its provider-ID is one of this cloud, or it has none and is not initialised")
	s = node.section("Addresses")
	s.add("Hostname", "node-0", "on the Node; the cloud has it")
	s.add("InternalIP", "10.0.0.10", "on the Node; the cloud has it")
	s.add("ExternalIP", "198.18.0.10", "on the Node; the cloud has it")
	return map[string]Explanation{"service": service, "node": node}
}

// Explanations at the widths of terminals: no line wraps inside a word, lists after commas apart.
func TestExplanationsAtWidths(t *testing.T) {
	for name, e := range explanations() {
		for suffix, page := range map[string]layout.Page{
			"-80": {Width: 80}, "-120": {Width: 120}, "-unwrapped": {}, "-problems": {Width: 80, ProblemsOnly: true}, "-colour": {Width: 80, Colour: true},
		} {
			var text, whole strings.Builder
			if err := errors.Join(e.Text(&text, page), e.Text(&whole, layout.Page{ProblemsOnly: page.ProblemsOnly, Colour: page.Colour})); err != nil {
				t.Fatal(err)
			}
			golden(t, name+suffix+".txt", text.String())
			words := func(text string) []string {
				return slices.Sorted(strings.FieldsSeq(strings.ReplaceAll(text, ",", ", ")))
			}
			if diff := cmp.Diff(words(whole.String()), words(text.String())); diff != "" {
				t.Errorf("%s%s: words are broken (-unwrapped +got):\n%s", name, suffix, diff)
			}
			for line := range strings.Lines(text.String()) {
				if long := layout.Length(strings.TrimSuffix(line, "\n")); page.Width > 0 && long > page.Width {
					t.Errorf("%s%s has a line of %d columns: %s", name, suffix, long, line)
				}
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *writeGolden {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
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
