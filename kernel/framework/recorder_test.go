package framework

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/fake"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// A state that lasts must not use up what the client sends about an object: the next state has to be
// seen.
func TestLastingStateDoesNotHideTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, r := fake.NewClientset(), newRecorder()
		r.start(server.CoreV1())
		defer r.broadcaster.Shutdown()
		object := event.Object{Kind: "Service", Namespace: "shop", Name: "web", UID: "7"}
		for look := range 100 {
			r.Record(object, event.CloudFailure, "quota")
			if look%50 == 0 {
				time.Sleep(time.Second) // events have the time in their names
				r.Record(object, event.NoTargets, "state "+strconv.Itoa(look))
			}
			time.Sleep(time.Minute)
		}
		time.Sleep(time.Second)
		r.Record(object, event.Retained, "kept")
		synctest.Wait()
		got := said(t, server)
		if got["LoadBalancerRetained"] != 1 || got["NoTargets"] != 2 || got["CloudFailure"] != 4 {
			t.Errorf("events %v, want each state, and the lasting one every half hour", got)
		}
	})
}
