package recorder

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
)

// A state that lasts must not use up what the client sends about an object: the next state has to be
// seen.
func TestLastingStateDoesNotHideTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, r := fake.NewClientset(), New()
		r.Start(server.CoreV1())
		defer r.Broadcaster.Shutdown()
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
		got := frameworktest.Said(t, server)
		if got["LoadBalancerRetained"] != 1 || got["NoTargets"] != 2 || got["CloudFailure"] != 4 {
			t.Errorf("events %v, want each state, and the lasting one every half hour", got)
		}
	})
}

func TestRecorder(t *testing.T) {
	server := fake.NewClientset()
	r := New()
	object := event.Object{Kind: "Service", Namespace: "shop", Name: "web", UID: "7"}
	r.Record(object, event.NoTargets, "before anybody leads")
	r.Start(server.CoreV1())
	defer r.Broadcaster.Shutdown()
	r.Record(object, event.NoTargets, "no node")
	deadline := time.After(10 * time.Second)
	for {
		list, err := server.CoreV1().Events("shop").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Items) > 0 {
			got := list.Items[0]
			if got.Reason != "NoTargets" || got.Type != "Warning" || got.Message != "no node" ||
				got.InvolvedObject.UID != "7" || got.Source.Component != Component || len(list.Items) != 1 {
				t.Errorf("recorded %+v", got)
			}
			return
		}
		select {
		case <-deadline:
			t.Fatal("no event arrived")
		case <-time.After(5 * time.Millisecond):
		}
	}
}
