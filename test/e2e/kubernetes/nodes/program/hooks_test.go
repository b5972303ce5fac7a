package program

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/test/e2e/framework"
)

// note returns a step of a spec, which writes down that it was taken.
func note(log *[]string, what string) func() { return func() { *log = append(*log, what) } }

// noteRequests is the runner. It writes down what it hears, and finds something after one spec.
func noteRequests(t *testing.T, log *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		note(log, r.Method+" "+r.URL.Path+" "+string(body))()
		var e ended
		if err := json.Unmarshal(body, &e); err != nil {
			t.Error(err)
		}
		if strings.HasSuffix(e.Namespace, "leaves-something") {
			http.Error(w, "balancer a is left\nbalancer b is left", http.StatusConflict)
		}
	}
}

// describe declares specs whose steps are written down. They have a namespace, as the framework's have.
func describe(p *provider, log *[]string) {
	ginkgo.Describe("Services", func() {
		ginkgo.BeforeEach(func() {
			ginkgo.DeferCleanup(func() {
				name := strings.ReplaceAll(ginkgo.CurrentSpecReport().LeafNodeText, " ", "-")
				p.FrameworkAfterEach(&framework.Framework{Namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}})
				note(log, "the namespace is being deleted")()
			})
		})
		ginkgo.AfterEach(note(log, "AfterEach"))
		ginkgo.It("work", func() { ginkgo.DeferCleanup(note(log, "the Service is gone")) })
		ginkgo.It("leaves something", note(log, "left"))
		ginkgo.It("is not for this cloud", func() { ginkgo.Skip("other clouds only") })
	})
	ginkgo.Describe("Others", func() { ginkgo.It("is not selected", note(log, "unselected")) })
}

// Requests to the runner and steps of the specs are in the right order, and what the runner finds fails a spec.
func TestRunnerHearsOfEachSpec(t *testing.T) {
	var log []string
	server := httptest.NewServer(noteRequests(t, &log))
	defer server.Close()
	p := &provider{runner: newRunner(server.URL + "/")}
	addHooks(p.runner)
	describe(p, &log)
	states := map[string]string{}
	ginkgo.ReportAfterSuite("states", func(report ginkgo.Report) {
		for _, spec := range report.SpecReports.WithLeafNodeType(types.NodeTypeIt) {
			states[spec.LeafNodeText] = spec.State.String() + " " + spec.Failure.Message
		}
	})
	var r result
	config, reporter := ginkgo.GinkgoConfiguration()
	config.SkipStrings = []string{"Others"}
	ginkgo.RunSpecs(&r, Suite, config, reporter)

	if !r.failed {
		t.Error("the suite did not fail, though a spec did")
	}
	checkOrder(t, log)
	wantStates := map[string]string{
		"work": "passed ", "leaves something": "failed the runner found:\nbalancer a is left\nbalancer b is left",
		"is not for this cloud": "skipped other clouds only", "is not selected": "skipped ",
	}
	if !reflect.DeepEqual(states, wantStates) {
		t.Errorf("the specs are %q, want %q", states, wantStates)
	}
}

func checkOrder(t *testing.T, log []string) {
	t.Helper()
	const deleted = "the namespace is being deleted"
	want := []string{
		"AfterEach", "the Service is gone", deleted, `POST /specs/after {"namespace":"work"}`,
		"left", "AfterEach", deleted, `POST /specs/after {"namespace":"leaves-something"}`,
		"AfterEach", deleted, `POST /specs/after {"namespace":"is-not-for-this-cloud"}`,
	}
	if !reflect.DeepEqual(log, want) {
		t.Errorf("what happened:\n%s\nwant:\n%s", strings.Join(log, "\n"), strings.Join(want, "\n"))
	}
}

func TestMachineIsDeletedByTheRunner(t *testing.T) {
	var heard string
	code := http.StatusNoContent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard = r.Method + " " + r.URL.EscapedPath()
		w.WriteHeader(code)
		if code != http.StatusNoContent {
			_, _ = io.WriteString(w, "no such machine\n")
		}
	}))
	defer server.Close()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}
	p := &provider{runner: newRunner(server.URL)}
	if err := p.DeleteNode(node); err != nil || heard != "POST /nodes/node-1/delete" {
		t.Errorf("the runner heard %q: %v", heard, err)
	}
	code = http.StatusNotFound
	if err := p.DeleteNode(node); err == nil || !strings.Contains(err.Error(), "no such machine") {
		t.Errorf("a machine that is not there: %v", err)
	}
	server.Close()
	if err := p.DeleteNode(node); err == nil {
		t.Error("a runner that has ended deletes machines")
	}
	if err := (&provider{}).DeleteNode(node); err == nil {
		t.Error("without a runner machines are deleted")
	}
}
