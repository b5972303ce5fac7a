package doctor

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

var update = flag.Bool("update", false, "write the golden files")

// result is that of a check of the catalogue.
func result(t *testing.T, id string, o Outcome) Result {
	t.Helper()
	for _, c := range Checks() {
		if c.ID == id {
			if o.Fix == "" && (o.Level == Warning || o.Level == Failure) {
				o.Fix = c.Fix
			}
			return Result{ID: c.ID, Scope: c.Scope, Link: c.Link(), Outcome: o}
		}
	}
	t.Fatalf("no check %s", id)
	return Result{}
}

// everything is a report with each sort of result.
func everything(t *testing.T) Report {
	const rights = "the controller manager has all rights of this kind that it needs"
	report := Report{
		result(t, "api-server-unreachable", fine("Kubernetes v1.36.3")),
		result(t, "webhook-dead", failure("an admission webhook that does not answer refuses what the controller manager writes", "",
			"webhook policy.example.com of policy is asked about nodes; its Service shop/policy has no endpoint that is ready", "and one\x1b[31m more")),
		result(t, "manager-not-running", Outcome{Level: Skipped, Message: "the doctor may not list pods in kube-system"}),
		result(t, "leader-missing", fine("node-0_11111111-2222-4333-8444-555555555555 leads")),
		result(t, "rights-election", fine(rights)),
		result(t, "rights-missing", fine(rights)),
		result(t, "clock-skew", warning("the clock of this machine is 40s behind the cloud", "")),
		result(t, "service-cluster", fine("2 load balancers looked at; 1 load balancer without a cluster in the ownership tags, which the first change writes: shop/web")),
		result(t, "node-machine-gone", failure("the API server does not answer", "look")),
		result(t, "node-machine-elsewhere", failure("the API server does not answer", "look")),
	}
	for _, id := range []string{"service-stuck", "service-gone", "service-contested", "service-port-shut"} {
		report = append(report, result(t, id, Outcome{Level: Skipped, Message: "the cluster's Services are not known"}))
	}
	return report
}

// The report at the widths of terminals: no line wraps inside a word.
func TestText(t *testing.T) {
	for name, page := range map[string]layout.Page{
		"report-80.txt": {Width: 80}, "report-120.txt": {Width: 120}, "report-unwrapped.txt": {},
		"report-problems.txt": {Width: 80, ProblemsOnly: true}, "report-colour.txt": {Width: 80, Colour: true},
	} {
		var text, whole strings.Builder
		if err := errors.Join(everything(t).Text(&text, page), everything(t).Text(&whole, layout.Page{ProblemsOnly: page.ProblemsOnly, Colour: page.Colour})); err != nil {
			t.Fatal(err)
		}
		golden(t, name, text.String())
		words := func(text string) []string { return slices.Sorted(strings.FieldsSeq(text)) }
		if diff := cmp.Diff(words(whole.String()), words(text.String())); diff != "" {
			t.Errorf("%s: words are broken (-unwrapped +got):\n%s", name, diff)
		}
		for line := range strings.Lines(text.String()) {
			if long := layout.Length(strings.TrimSuffix(line, "\n")); page.Width > 0 && long > page.Width && !strings.Contains(line, "see: ") {
				t.Errorf("%s has a line of %d columns: %s", name, long, line)
			}
		}
	}
}

func TestTextWithoutProblems(t *testing.T) {
	var text strings.Builder
	if err := everything(t)[:1].Text(&text, layout.Page{Width: 80, ProblemsOnly: true}); err != nil {
		t.Fatal(err)
	}
	const want = "no problems\n\n1 check: 1 ok, 0 warnings, 0 failures, 0 could not be made\n"
	if text.String() != want {
		t.Errorf("got %q, want %q", text.String(), want)
	}
}

// Checks that could not be made for one reason share a line where they are many.
func TestTextOfManySkipped(t *testing.T) {
	var report Report
	for n, message := range []string{"no cluster", "may not", "no cluster", "no cluster", "may not", "no cluster"} {
		report = append(report, Result{ID: fmt.Sprintf("check-%d", n), Outcome: Outcome{Level: Skipped, Message: message}})
	}
	var out strings.Builder
	if err := report.Text(&out, layout.Page{}); err != nil {
		t.Fatal(err)
	}
	const want = `SKIPPED  4 checks  no cluster; -o json names them
SKIPPED  may not:
SKIPPED    check-1
SKIPPED    check-4

6 checks: 0 ok, 0 warnings, 0 failures, 6 could not be made
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestDocument(t *testing.T) {
	if !sample().Failed() || sample()[:1].Failed() {
		t.Error("only the second is a failure")
	}
	if d := sample().Document(); d.Version != 1 || d.Summary["failure"] != 1 || d.Summary["skipped"] != 1 {
		t.Errorf("document %+v", d)
	}
}

// Ids are the names of what is wrong: of a check that is ok people read what is right.
func TestEveryCheckSaysWhatIsRight(t *testing.T) {
	for _, c := range Checks() {
		if title := titles[c.ID]; title == "" || layout.Length(title) > 29 { // beside SKIPPED, which is half of 80 columns
			t.Errorf("%s: what is right is %q in titles, want up to 29 characters", c.ID, title)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
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

// What anybody has written is not repeated whole, nor in JSON.
func TestLongEvidence(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	check := Check{ID: "service-annotation-invalid", judge: func(*facts) Outcome {
		return Outcome{Level: Failure, Message: long, Evidence: []string{"short", long}}
	}}
	o := check.outcome(&facts{})
	if len(o.Message) > 1000 || len(o.Evidence[1]) > 1000 || o.Evidence[0] != "short" {
		t.Errorf("%d bytes, evidence of %d", len(o.Message), len(o.Evidence[1]))
	}
}

// Where a check could not be made, nobody is told that there are no problems, and where none could be, that is a failure.
func TestNoProblemsInWhatCouldBeChecked(t *testing.T) {
	skipped, well := Result{Outcome: Outcome{Level: Skipped, Message: "the provider was not started"}}, Result{Outcome: Outcome{Level: OK}}
	for name, tt := range map[string]struct {
		report Report
		says   string
		failed bool
	}{
		"all well":     {Report{well}, "no problems\n", false},
		"some skipped": {Report{well, skipped}, "no problems in what could be checked; 1 could not be: the provider was not started\n", false},
		"all skipped":  {Report{skipped, skipped}, "no problems in what could be checked; 2 could not be: the provider was not started\n", true},
	} {
		out := &strings.Builder{}
		if err := tt.report.Text(out, layout.Page{ProblemsOnly: true, Width: 200}); err != nil || !strings.HasPrefix(out.String(), tt.says) || tt.report.Failed() != tt.failed {
			t.Errorf("%s: failed %t, %q, %v", name, tt.report.Failed(), out, err)
		}
	}
}
