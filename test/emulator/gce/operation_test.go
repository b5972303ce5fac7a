package gce_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/api/compute/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

func TestAnswerToAWriteIsNotItsResult(t *testing.T) {
	_, v := start(t, gce.Options{})
	op := must(v.Addresses.Insert(project, region, &compute.Address{Name: "a"}).Do())(t)
	is(t, "status of the answer", op.Status, "RUNNING")
	is(t, "target", last(op.TargetLink), "a")
	later := must(v.RegionOperations.Get(project, region, op.Name).Do())(t)
	is(t, "status later", later.Status, "DONE")
	is(t, "progress", later.Progress, int64(100))
	is(t, "operations", len(must(v.RegionOperations.List(project, region).Filter("operationType = insert").Do())(t).Items), 1)
	is(t, "id", must(v.Addresses.Get(project, region, "a").Do())(t).Id, later.TargetId)
}

func TestOperationsThatRun(t *testing.T) {
	server, v := start(t, gce.Options{Delay: -1})
	op := must(v.Addresses.Insert(project, region, &compute.Address{Name: "a"}).Do())(t)
	is(t, "status", op.Status, "RUNNING")
	_, err := v.Addresses.Get(project, region, "a").Do()
	is(t, "address while it is made", refusal(t, err).Code, 404)
	is(t, "second insert", v.refused(v.Addresses.Insert(project, region, &compute.Address{Name: "a"})).Code, 409)
	server.Operations.Finish()
	is(t, "status", v.wait(t.Context(), op).Status, "DONE")
	must(v.Addresses.Get(project, region, "a").Do())(t)

	// One object, one operation: the next write has to wait.
	must(v.Addresses.Delete(project, region, "a").Do())(t)
	is(t, "rule", v.raw("DELETE regions/us-central1/addresses/a", "").rule, "common/busy")
	is(t, "running", server.State().Running[0], "delete projects/test-project/regions/us-central1/addresses/a")
	server.Operations.Finish()
	is(t, "running", len(server.State().Running), 0)
}

// What was right when it was asked for can be wrong when it is carried out.
func TestOperationFailsOnWhatHasChanged(t *testing.T) {
	server, v := start(t, gce.Options{Delay: -1})
	finished := func(c call) *compute.Operation {
		op := must(c.Do())(t)
		server.Operations.Finish()
		return v.wait(t.Context(), op)
	}
	finished(v.HttpHealthChecks.Insert(project, &compute.HttpHealthCheck{Name: "hc"}))
	removal := must(v.HttpHealthChecks.Delete(project, "hc").Do())(t)
	op := finished(v.TargetPools.Insert(project, region, &compute.TargetPool{Name: "tp", HealthChecks: []string{"global/httpHealthChecks/hc"}}))
	is(t, "removal", v.wait(t.Context(), removal).Error == nil, true)
	is(t, "error", op.Error.Errors[0].Code, "RESOURCE_NOT_FOUND")
	is(t, "status", op.HttpErrorStatusCode, int64(404))
}

func TestOperationsFailLate(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.Operations.Fail(gce.OperationFault{Method: "addresses.insert", Code: "QUOTA_EXCEEDED", Message: "no more", Status: 403, Times: 1})
	op := must(v.Addresses.Insert(project, region, &compute.Address{Name: "a"}).Do())(t)
	op = v.wait(t.Context(), op)
	is(t, "code", op.Error.Errors[0].Code, "QUOTA_EXCEEDED")
	is(t, "status", op.HttpErrorStatusCode, int64(403))
	_, err := v.Addresses.Get(project, region, "a").Do()
	is(t, "address", refusal(t, err).Code, 404)
	v.done(v.Addresses.Insert(project, region, &compute.Address{Name: "a"}))
	server.Operations.Fail(gce.OperationFault{Code: "INTERNAL_ERROR", Apply: true})
	v.wait(t.Context(), must(v.Addresses.Insert(project, region, &compute.Address{Name: "b"}).Do())(t))
	must(v.Addresses.Get(project, region, "b").Do())(t)
	server.Operations.ClearFaults()
	v.done(v.Addresses.Delete(project, region, "b"))
}

func TestRequestIDMakesARepetitionHarmless(t *testing.T) {
	_, v := start(t, gce.Options{})
	const id = "4f1c9b52-0000-4000-8000-000000000001"
	first := must(v.Addresses.Insert(project, region, &compute.Address{Name: "a"}).RequestId(id).Do())(t)
	second := must(v.Addresses.Insert(project, region, &compute.Address{Name: "a"}).RequestId(id).Do())(t)
	is(t, "operation", second.Name, first.Name)
	is(t, "client's id", first.ClientOperationId, id)
	is(t, "without it", v.refused(v.Addresses.Insert(project, region, &compute.Address{Name: "a"})).Errors[0].Reason, "alreadyExists")
}

// direct is a request without a network, so that a bubble of testing/synctest can hold it.
func direct(t *testing.T, server *gce.Server, request, body string) string {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, "/compute/v1/projects/test-project/"+path, bytes.NewReader([]byte(body)))
	r.Header.Set("Authorization", "Bearer test-token")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", request, w.Code, w.Body)
	}
	return w.Body.String()
}

func TestWaitEndsWithTheOperationOrAfterTwoMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := gce.New(gce.Options{Delay: 3 * time.Minute})
		defer server.Close()
		began := time.Now()
		text := direct(t, server, "POST global/httpHealthChecks", `{"name":"hc"}`)
		_, after, _ := strings.Cut(text, `"name":"`)
		name, _, _ := strings.Cut(after, `"`)
		answer := direct(t, server, "POST global/operations/"+name+"/wait", "")
		is(t, "time of the first wait", time.Since(began), 2*time.Minute)
		is(t, "progress", strings.Contains(answer, `"progress":66`), true)
		answer = direct(t, server, "POST global/operations/"+name+"/wait", "")
		is(t, "time of both", time.Since(began), 3*time.Minute)
		is(t, "done", strings.Contains(answer, `"status":"DONE"`), true)
	})
}
