package hcloud_test

import (
	"strconv"
	"strings"
	"testing"

	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// TestRestoredClusterHasItsOwn: a cluster that was restored from the same backup has a Service of the same UID, whose
// load balancer is older. Each finds its own.
func TestRestoredClusterHasItsOwn(t *testing.T) {
	l := newLab(t, 2, nil)
	labels := func(cluster string) map[string]string {
		return map[string]string{"hcloud-ccm/service-uid": uid, "multicloud-ccm.io/cluster": cluster}
	}
	theirs := l.theirs("restored", labels("other"))
	own := newLabOn(t, l.server, "own", "00000000-0000-4000-8000-00000000abce", map[string]string{"name": "own"})
	own.nodes = l.nodes
	own.ensure()
	ours := l.server.State().Balancers[1]
	if err := l.server.EditBalancer(ours.ID, func(b *emulator.Balancer) { b.Labels = labels("prod") }); err != nil {
		t.Fatal(err)
	}
	changes := writes(l.ensure())
	for _, request := range changes {
		if strings.Contains(request, strconv.FormatInt(theirs.ID, 10)) {
			t.Errorf("%s: %d is the other cluster's, ours is %d", request, theirs.ID, ours.ID)
		}
	}
	if len(changes) == 0 {
		t.Error("ours was not changed, although its Service has another name for it")
	}
}
