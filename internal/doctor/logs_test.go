package doctor

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// server answers requests to an API server, by the ends of their paths; what is not among them is an
// empty list. One that has no answer hangs.
type server map[string]string

func (s server) RoundTrip(r *http.Request) (*http.Response, error) {
	body := "{}"
	for end, answer := range s {
		if strings.HasSuffix(r.URL.Path+"?"+r.URL.RawQuery, end) {
			body = answer
		}
	}
	if body == "" {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// TestLogs reads the logs after a check that hung until the end of its time. A log that hangs does not
// keep the others from being read, and what is missing is told.
func TestLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pods = `{"items":[
			{"metadata":{"namespace":"kube-system","name":"ccm-0"},"spec":{"containers":[{"name":"main"}]},"status":{"containerStatuses":[{"name":"main","restartCount":1}]}},
			{"metadata":{"namespace":"kube-system","name":"ccm-1"},"spec":{"containers":[{"name":"main"}]}}]}`
		client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://cluster", QPS: -1, Transport: server{
			"/version?": `{"gitVersion":"v1.36.0"}`, "/selfsubjectaccessreviews?": `{"status":{"allowed":true}}`,
			"/events?fieldSelector=type%3DWarning&limit=500":   "",
			"/pods?labelSelector=app%3Dccm":                    pods,
			"/pods/ccm-0/log?container=main&tailLines=2000":    "",
			"/log?container=main&previous=true&tailLines=2000": "the last words",
			"/pods/ccm-1/log?container=main&tailLines=2000":    "the first words",
		}})
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Client: client, CloudErr: errors.New("no cloud")}
		o.Manager.Workload = &Workload{Namespace: "kube-system", selector: "app=ccm"}
		var out bytes.Buffer
		began := time.Now()
		if _, err := Bundle(t.Context(), o, BundleOptions{Checkup: time.Minute, Harmless: func(string) bool { return true }}, &out); err != nil {
			t.Fatal(err)
		}
		if took, want := time.Since(began), time.Minute+logLimit; took != want {
			t.Errorf("took %s, want %s", took, want)
		}
		files := untar(t, &out)
		for name, want := range map[string]string{
			"ccm-0-main-previous.txt": "the last words", "ccm-1-main.txt": "the first words",
		} {
			if got := files["doctor/logs/"+name]; got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		for _, line := range []string{
			"ccm-0-main: missing, no answer within 15s", "ccm-0-main-previous: 14 bytes", "ccm-1-main: 15 bytes", "ccm-1-main-previous: none, the container was not started again",
		} {
			if readme := files["doctor/logs/README.txt"]; !strings.Contains(readme, line) {
				t.Errorf("%q is not in logs/README.txt:\n%s", line, readme)
			}
		}
	})
}

// TestNoLogs says why there is none.
func TestNoLogs(t *testing.T) {
	var out bytes.Buffer
	o := Options{ClientErr: errors.New("no kubeconfig"), CloudErr: errors.New("no cloud")}
	if _, err := Bundle(t.Context(), o, BundleOptions{Checkup: time.Minute}, &out); err != nil {
		t.Fatal(err)
	}
	if readme := untar(t, &out)["doctor/logs/README.txt"]; !strings.Contains(readme, "No log is here: the API server is not reached") {
		t.Errorf("logs/README.txt: %s", readme)
	}
}
