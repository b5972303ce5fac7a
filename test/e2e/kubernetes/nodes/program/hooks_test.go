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

// The runner's part is a server. What it hears and what the specs do is written down in one order.
func TestRunnerHearsOfEachSpec(t *testing.T) {
	var log []string
	note := func(what string) func() { return func() { log = append(log, what) } }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		log = append(log, r.Method+" "+r.URL.Path+" "+string(body))
		var e event
		if err := json.Unmarshal(body, &e); err != nil {
			t.Error(err)
		}
		if strings.HasSuffix(r.URL.Path, "/after") && strings.HasSuffix(e.Spec, "leaves something") {
			http.Error(w, "balancer a is left\nbalancer b is left", http.StatusConflict)
		}
		if strings.HasSuffix(r.URL.Path, "/before") && strings.HasSuffix(e.Spec, "cannot begin") {
			http.Error(w, "the cloud is down", http.StatusConflict)
		}
	}))
	defer server.Close()

	p := &provider{runner: newRunner(server.URL + "/")}
	addHooks(p.runner)
	ginkgo.Describe("Services", func() {
		ginkgo.BeforeEach(func() {
			ginkgo.DeferCleanup(func() {
				p.FrameworkAfterEach(&framework.Framework{Namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns"}}})
				note("the namespace is being deleted")()
			})
		})
		ginkgo.AfterEach(note("AfterEach"))
		ginkgo.It("work", func() { ginkgo.DeferCleanup(note("the Service is gone")) })
		ginkgo.It("leaves something", note("left"))
		ginkgo.It("is not for this cloud", func() { ginkgo.Skip("other clouds only") })
		ginkgo.It("cannot begin", note("has begun"))
	})
	ginkgo.Describe("Others", func() { ginkgo.It("is not selected", note("unselected")) })
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
		t.Error("the suite did not fail, though two specs did")
	}
	checkOrder(t, log)
	wantStates := map[string]string{
		"work": "passed ", "leaves something": "failed the runner found:\nbalancer a is left\nbalancer b is left",
		"is not for this cloud": "skipped other clouds only", "cannot begin": "failed the runner found:\nthe cloud is down",
		"is not selected": "skipped ",
	}
	if !reflect.DeepEqual(states, wantStates) {
		t.Errorf("the specs are %q, want %q", states, wantStates)
	}
}

func checkOrder(t *testing.T, log []string) {
	t.Helper()
	const deleted = "the namespace is being deleted"
	want := []string{
		`POST /specs/before {"spec":"Services work","failed":false}`,
		"AfterEach", "the Service is gone", deleted,
		`POST /specs/after {"spec":"Services work","namespace":"ns","failed":false}`,
		`POST /specs/before {"spec":"Services leaves something","failed":false}`,
		"left", "AfterEach", deleted,
		`POST /specs/after {"spec":"Services leaves something","namespace":"ns","failed":false}`,
		`POST /specs/before {"spec":"Services is not for this cloud","failed":false}`,
		"AfterEach", deleted,
		`POST /specs/after {"spec":"Services is not for this cloud","namespace":"ns","failed":false}`,
		`POST /specs/before {"spec":"Services cannot begin","failed":false}`,
		`POST /specs/after {"spec":"Services cannot begin","failed":true}`,
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
