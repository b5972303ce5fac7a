package adopt_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/internal/adopt"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

func withoutDashes(uid string) string { return strings.ReplaceAll(uid, "-", "") }

// listed are the ownership tags that the report says are written, each with the load balancer that gets it.
func listed(r adopt.Report) []string {
	ids := map[string]string{}
	for _, b := range r.Balancers {
		ids["Service "+b.Service] = b.ID
	}
	var all []string
	for _, m := range r.OwnershipTags {
		for _, added := range m.Added {
			all = append(all, ids[m.Subject]+" "+added)
		}
		for _, removed := range m.Removed {
			all = append(all, ids[m.Subject]+" without "+removed)
		}
	}
	slices.Sort(all)
	return all
}

// written are the ownership tags that the cloud has put on load balancers, and every other write that it has done.
func (s *site) written() []string {
	s.t.Helper()
	var all []string
	for _, r := range s.cloud.Requests() {
		tag, isOwnershipTag := strings.CutPrefix(r.Path, "/v2/tags/")
		tag, isOwnershipTag2 := strings.CutSuffix(tag, "/resources")
		switch {
		case r.Method == "GET" || r.Method == "POST" && r.Path == "/v2/tags": // a tag by itself ownership tags nothing
		case isOwnershipTag && r.Status == http.StatusNotFound: // there is no such tag yet
		case r.Method == "POST" && isOwnershipTag && isOwnershipTag2:
			var body struct {
				Resources []struct {
					ID string `json:"resource_id"`
				} `json:"resources"`
			}
			if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
				s.t.Fatal(err)
			}
			tag, err := url.PathUnescape(tag)
			if err != nil {
				s.t.Fatal(err)
			}
			for _, resource := range body.Resources {
				all = append(all, resource.ID+" "+tag)
			}
		default:
			all = append(all, r.Method+" "+r.Path+" "+r.Body)
		}
	}
	slices.Sort(all)
	return all
}

// A cluster that upstream made: `adopt --check` is content, and the switch writes exactly the ownership tags
// that it listed.
func TestSwitch(t *testing.T) {
	s := open(t)
	balancers := map[string]string{}
	for _, o := range []service{
		{name: "plain"}, {name: "unrecorded", forgets: true}, {name: "named", called: "shop-1"}, {name: "named-unrecorded", called: "shop-2", forgets: true},
		{name: "by-hand", edit: func(b *digitalocean.Balancer) { b.SizeUnit, b.TLSCipherPolicy = 4, "STRONG" }},
	} {
		balancers["shop/"+o.name] = s.settled(o).ID
	}
	s.cloud.ResetTraffic()
	report, answer := s.Adopt()
	if n := s.cloud.Counters().Mutating; n != 0 {
		t.Errorf("adopt wrote %d times", n)
	}
	if answer.Code != 0 || report.Verdict != adopt.OwnershipTags || report.Summary.OwnershipTags != 2 || len(report.Plans) != 0 {
		t.Fatalf("code %d, want 0 and marks for two:\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
	}
	found := map[string]string{}
	for _, b := range report.Balancers {
		found[b.Service] = b.ID
		if len(b.Evidence) == 0 || len(b.Addresses) == 0 {
			t.Errorf("%+v has no evidence or address", b)
		}
	}
	if diff := cmp.Diff(balancers, found); diff != "" {
		t.Errorf("load balancers of Services (-want +got):\n%s", diff)
	}

	s.cloud.ResetTraffic()
	s.Switch()
	if diff := cmp.Diff(listed(report), s.written()); diff != "" {
		t.Errorf("writes (-listed +seen by the cloud):\n%s", diff)
	}
	again, answer := s.Adopt()
	if answer.Code != 0 || again.Verdict != adopt.Nothing {
		t.Errorf("after the switch: code %d\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
	}
	mistaken, answer := s.Adopt("--cluster-name=mistaken")
	// Where the tags name a cluster, the Service is refused a load balancer of another one: that is trouble, and no change.
	if answer.Code != 1 || len(mistaken.OtherClusters) != 1 {
		t.Errorf("with the name of another cluster: code %d, want 1\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
	}
}

// Everything that is otherwise after the switch is named, with a link.
func TestDifferences(t *testing.T) {
	s := open(t)
	s.settled(service{name: "changed", edit: func(b *digitalocean.Balancer) { b.HealthCheck.CheckIntervalSeconds = 30 }})
	s.settled(service{name: "refused", annotations: map[string]string{own + "healthcheck-response-timeout-seconds": "1"}})
	s.settled(service{name: "type", annotations: map[string]string{own + "type": digitalocean.TypeRegional}})
	other := s.settled(service{name: "owner"})
	s.settled(service{name: "thief", forgets: true, annotations: map[string]string{idKey: other.ID}})
	s.Node(controlplane.NodeOptions{Name: "elsewhere", ProviderID: "aws:///eu-west-1a/i-0123456789abcdef0"})
	s.Node(controlplane.NodeOptions{Name: "flagless"})
	gone := s.cloud.Droplets.Seed(1)[0]
	s.join(gone)
	if err := s.cloud.Droplets.Delete(gone.ID); err != nil {
		t.Fatal(err)
	}
	report, answer := s.Adopt()
	if answer.Code != 1 || report.Verdict != adopt.Trouble {
		t.Errorf("code %d, want 1", answer.Code)
	}
	var got []string
	for _, d := range report.Differences {
		got = append(got, d.Subject+": "+d.ID)
		if !strings.HasPrefix(d.Link, adopt.Repository+"docs/how-to/migrate") || !strings.Contains(d.Link, ".md#") || d.Text == "" {
			t.Errorf("%+v has no link to the guide, or no text", d)
		}
	}
	want := []string{
		"Node elsewhere: node-of-another-cloud", "Node flagless: node-without-provider-id", "Node " + gone.Name + ": node-machine-missing",
		"Service shop/changed: service-changes", "Service shop/refused: service-refused", "Service shop/thief: service-conflict",
		"Service shop/type: digitalocean-type", "Service shop/type: service-blocked",
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%q is not said; there are:\n%s\n%s", w, strings.Join(got, "\n"), answer.Stdout)
		}
	}
	for _, name := range []string{"shop/owner"} {
		if slices.ContainsFunc(got, func(d string) bool { return strings.HasPrefix(d, "Service "+name+":") }) {
			t.Errorf("something is said of %s:\n%s", name, strings.Join(got, "\n"))
		}
	}
	if text := s.Run("adopt", "--node-deletion-grace=1s"); text.Code != 1 || !strings.Contains(text.Stdout, "could not be read or planned") || !strings.Contains(text.Stdout, "migrate.md#nodes-of-other-clouds") {
		t.Errorf("code %d:\n%s%s", text.Code, text.Stdout, text.Stderr)
	}
}

// Only what differs beyond ownership tags is code 2, and only with --check.
func TestCheck(t *testing.T) {
	s := open(t)
	s.settled(service{name: "changed", edit: func(b *digitalocean.Balancer) { b.HealthCheck.CheckIntervalSeconds = 30 }})
	if report, answer := s.Adopt(); answer.Code != 2 || report.Verdict != adopt.Changes || report.Summary.Changes != 1 || report.Summary.OwnershipTags != 1 {
		t.Errorf("code %d:\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
	}
	if answer := s.Run("adopt"); answer.Code != 0 || !strings.Contains(answer.Stdout, "makes 1 other change.") {
		t.Errorf("code %d:\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
	}
	for want, args := range map[string][]string{
		"nowhere is not a provider; compiled into this binary: aws, digitalocean, gce, hcloud, openstack": {"--from=nowhere"}, "it is called hcloud here, use --from=hcloud": {"--from=hetzner"},
		"there is nothing to switch from": {"--from=sim"}, "is of another cloud": {"--from=aws"},
		"want auto, always or never": {"--color=red"}, "is not a format": {"--output=xml"}, "takes no arguments": {"now"}, "unknown flag": {"--no-such-flag"},
	} {
		if got := s.Run(append([]string{"adopt"}, args...)...); got.Code != 64 || !strings.Contains(got.Stderr, want) || strings.Count(got.Stderr, "\n") != 1 {
			t.Errorf("%q: code %d, %q, want %q", args, got.Code, got.Stderr, want)
		}
	}
	if got := s.Run("adopt", "--from=digitalocean-cloud-controller-manager"); got.Code != 0 {
		t.Errorf("by the name of upstream: code %d, %s", got.Code, got.Stderr)
	}
}
