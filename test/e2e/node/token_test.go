package node_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// A token that is replaced in its file is used from the next request on, without a restart.
func TestTokenIsRotatedByFile(t *testing.T) {
	const second = "second-token-that-must-stay-secret"
	s := openOwn(t, "a token in a file")
	path := filepath.Join(t.TempDir(), "token")
	writeToken(s.site, path, token)
	machines := s.pool(3)
	p := s.startWith(map[string]string{"DO_ACCESS_TOKEN_FILE": path})
	s.Cloud.SetToken(second, "default")
	writeToken(s.site, path, second)

	fresh := s.machines.seed(1)[0]
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: fresh.Name})
	s.must(err)
	s.node(fresh.Name, initialised)
	// A request that began before the file changed may be under way until here.
	s.Cloud.RevokeToken(token)
	s.machines.stop(machines[0])
	s.notReady(machines[0])
	s.node(machines[0].Name, shutDown(true))
	for route, c := range s.Cloud.Counters().Routes {
		if c.Status["401"] > 0 {
			t.Errorf("%s: %d answers 401", route, c.Status["401"])
		}
	}
	if contains(p.Log(), second) {
		t.Error("the second token is in the log")
	}
}

// The token must not get out by any door: the log is looked through by every test, here
// come events and metrics, and the log at a level that shows requests.
func TestTokenStaysSecret(t *testing.T) {
	s := open(t, testcloud.Many, testcloud.RefusedStart)
	machines := s.pool(20)
	s.refuse()
	p := s.start("--v=9")
	s.notReady(machines[:10]...)
	s.event("", "CloudUnavailable")
	events, err := s.Client().CoreV1().Events("").List(s.within(patience), listAll)
	s.must(err)
	for _, e := range events.Items {
		if contains(fmt.Sprintf("%+v", e), s.Cloud.Secret()) {
			t.Errorf("the token is in an event: %s", e.Message)
		}
	}
	metrics := s.metrics(p)
	if contains(metrics, s.Cloud.Secret()) {
		t.Error("the token is in the metrics")
	}
	if !contains(metrics, "ccm_cloud_requests_total") {
		t.Errorf("the metrics have no requests to the cloud: %.300s", metrics)
	}
}
