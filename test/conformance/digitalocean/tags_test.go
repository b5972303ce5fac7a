package digitalocean_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

// TestTagsGoLast: while the balancer is there its tags prove whose it is, also when the API refuses to
// delete it.
func TestTagsGoLast(t *testing.T) {
	l := newLab(t, 1, nil, nil)
	l.ensure()
	tags := l.balancer().Tags
	deletion := func() cloud.Change {
		in := l.input
		in.Deleting = true
		return cloud.Change{Input: in, Before: l.observe()}
	}
	l.server.AddFault(fault.Fault{Method: http.MethodDelete, Path: "/v2/load_balancers/*", Status: http.StatusUnprocessableEntity, Body: `{"message": "locked"}`})
	if _, err := l.balancers().Apply(t.Context(), deletion()); err == nil {
		t.Error("no error")
	}
	if left := l.balancer().Tags; len(tags) == 0 || !slices.Equal(left, tags) {
		t.Errorf("tags %q, want %q", left, tags)
	}
	if o := l.observe(); o.Owner.UID != uid {
		t.Errorf("owner %+v", o.Owner)
	}
	l.server.ClearFaults()
	change := deletion()
	l.server.ResetTraffic()
	_, err := l.balancers().Apply(t.Context(), change)
	l.must(err)
	requests := l.requests()
	balancer, tag := slices.Index(requests, "DELETE /v2/load_balancers/{id}"), slices.Index(requests, "DELETE /v2/tags/{name}")
	if balancer < 0 || tag < balancer {
		t.Errorf("requests %q, want the tags to go after the balancer", requests)
	}
}
