package kubernetes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const full = "[sig-network] LoadBalancers [Feature:LoadBalancer] should work"

func write(t *testing.T, content string) report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := readReport(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// spec is one of a report, of the container that all of these tests have.
func spec(kind, text, state, message string) string {
	return `{"ContainerHierarchyTexts":["[sig-network] LoadBalancers [Feature:LoadBalancer]"],"LeafNodeType":"` + kind +
		`","LeafNodeText":"` + text + `","State":"` + state + `","Failure":{"Message":"` + message + `"}}`
}

func TestOutcome(t *testing.T) {
	other := spec("It", "should do something else", "skipped", "")
	for name, test := range map[string]struct {
		report, message string
		want            Outcome
	}{
		"passed":             {`[{"SpecReports":[` + other + `,` + spec("It", "should work", "passed", "") + `]}]`, "", Passed},
		"failed":             {`[{"SpecReports":[` + spec("It", "should work", "failed", "no answer") + `]}]`, "no answer", Failed},
		"timed out":          {`[{"SpecReports":[` + spec("It", "should work", "timedout", "a suite timeout") + `]}]`, "timedout: a suite timeout", Failed},
		"skipped":            {`[{"SpecReports":[` + spec("It", "should work", "skipped", "only on aws") + `]}]`, "only on aws", Skipped},
		"the setup failed":   {`[{"SpecReports":[{"LeafNodeType":"SynchronizedBeforeSuite","State":"failed","Failure":{"Message":"no nodes"}},` + spec("It", "should work", "passed", "") + `]}]`, "no nodes", Failed},
		"the suite was slow": {`[{"SpecialSuiteFailureReasons":["Suite Timeout Elapsed"],"SpecReports":[` + spec("It", "should work", "passed", "") + `]}]`, "Suite Timeout", Failed},
	} {
		t.Run(name, func(t *testing.T) {
			got, message, err := write(t, test.report).outcome(full)
			if err != nil || got != test.want || !strings.Contains(message, test.message) {
				t.Errorf("%s %q %v, want %s %q", got, message, err, test.want, test.message)
			}
		})
	}
	if got, _, err := write(t, `[{"SpecReports":[`+other+`]}]`).outcome(full); err == nil || got != Failed {
		t.Errorf("a report without the spec: %s, %v", got, err)
	}
}

func TestSpecs(t *testing.T) {
	r := write(t, `[{"SpecReports":[`+spec("It", "should work", "passed", "")+`,`+spec("It", "is filtered out", "skipped", "")+`,`+
		spec("ReportAfterSuite", "", "passed", "")+`,`+spec("It", "should survive a rolling update [Slow]", "passed", "")+`]}]`)
	list := r.specs()
	if len(list) != 2 || list[0].Name != full || list[0].Slow || !list[1].Slow {
		t.Fatalf("specs: %+v", list)
	}
	if got := list[1].Short(); got != "should survive a rolling update" {
		t.Errorf("short name %q", got)
	}
}

// A spec in the list is skipped on its cloud alone.
func TestSkipped(t *testing.T) {
	old := skips
	defer func() { skips = old }()
	skips = []Skip{{Cloud: "here", Spec: "client", Reason: "this cloud ends connections"}}
	for _, test := range []struct{ cloud, spec, want string }{
		{"here", "keeps the client", "this cloud ends connections"},
		{"elsewhere", "keeps the client", ""},
		{"here", "works", ""},
	} {
		if got := skipped(test.cloud, Spec{Name: test.spec}); got != test.want {
			t.Errorf("%s on %s: %q, want %q", test.spec, test.cloud, got, test.want)
		}
	}
}

// An entry of the list whose spec has another name now is found, whatever the cloud.
func TestUnmatchedSkips(t *testing.T) {
	specs := []Spec{newSpec(full), newSpec("[sig-network] LoadBalancers should keep the client")}
	list := []Skip{{Cloud: "here", Spec: "the client"}, {Cloud: "elsewhere", Spec: "should work"}}
	if err := unmatched(list, specs); err != nil {
		t.Errorf("a list whose entries all have a spec: %v", err)
	}
	list = append(list, Skip{Cloud: "elsewhere", Spec: "the old name"})
	if err := unmatched(list, specs); err == nil || !strings.Contains(err.Error(), `"the old name" for elsewhere`) || strings.Contains(err.Error(), "should work") {
		t.Errorf("a list with an entry of another name: %v", err)
	}
}
