package client

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
)

var (
	node      = frameworktest.Node
	withReady = frameworktest.WithReady
)

func decorated(v *Decisions, quiet func(*corev1.Event) bool, nodes ...*corev1.Node) (c kubernetes.Interface, inner, events *fake.Clientset) {
	inner, events = fake.NewClientset(), fake.NewClientset()
	for _, n := range nodes {
		inner.Tracker().Add(n)
	}
	builder := &Builder{Decisions: v, Quiet: quiet, Mine: func(n *corev1.Node) bool { return n.Spec.ProviderID != "other://1" }}
	return builder.Decorate(inner, events), inner, events
}

func verbs(c *fake.Clientset) []string {
	var all []string
	for _, action := range c.Actions() {
		all = append(all, action.GetVerb()+" "+action.GetResource().Resource)
	}
	return all
}

func TestEmptyStatusPatchIsDropped(t *testing.T) {
	tests := []struct {
		name        string
		data        string
		subresource []string
		want        []string
	}{
		{"empty", "{}", []string{"status"}, nil},
		{"something", `{"status":{}}`, []string{"status"}, []string{"patch nodes"}},
		{"not the status", "{}", nil, []string{"patch nodes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, inner, _ := decorated(NewDecisions(), nil, node("n", "sim://1"))
			got, err := c.CoreV1().Nodes().Patch(context.Background(), "n", types.StrategicMergePatchType, []byte(tt.data), metav1.PatchOptions{}, tt.subresource...)
			if err != nil || got.Name != "n" {
				t.Errorf("got %v, %v", got, err)
			}
			if diff := cmp.Diff(tt.want, verbs(inner)); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDeleteNode(t *testing.T) {
	judged := node("n", "sim://1", withReady(corev1.ConditionUnknown))
	reborn := node("n", "sim://1")
	reborn.UID = "another"
	tests := []struct {
		name    string
		judge   *corev1.Node
		there   *corev1.Node
		deletes bool
		fails   bool
	}{
		{"gone", judged, judged, true, false},
		{"no verdict", nil, judged, false, true},
		{"new node of that name", judged, reborn, false, true},
		{"ready again", judged, node("n", "sim://1", withReady(corev1.ConditionTrue)), false, true},
		{"not ours", judged, node("n", "other://1"), false, true},
		{"deleted already", judged, nil, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := NewDecisions()
			if tt.judge != nil {
				v.Add(tt.judge)
			}
			var there []*corev1.Node
			if tt.there != nil {
				there = append(there, tt.there)
			}
			c, inner, _ := decorated(v, nil, there...)
			err := c.CoreV1().Nodes().Delete(context.Background(), "n", metav1.DeleteOptions{})
			if (err != nil) != tt.fails {
				t.Errorf("error %v", err)
			}
			deleted := false
			for _, action := range inner.Actions() {
				if action, ok := action.(clienttesting.DeleteActionImpl); ok {
					deleted = true
					want := &metav1.Preconditions{UID: &judged.UID, ResourceVersion: &judged.ResourceVersion}
					if diff := cmp.Diff(want, action.DeleteOptions.Preconditions); diff != "" {
						t.Errorf("preconditions (-want +got):\n%s", diff)
					}
				}
			}
			if deleted != tt.deletes {
				t.Errorf("deleted: %v, want %v", deleted, tt.deletes)
			}
		})
	}
}

func TestVerdictIsForOnceAndSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := NewDecisions()
		v.Add(node("n", ""))
		if uid, ok := v.Take("n"); !ok || uid != "uid-n" {
			t.Errorf("got %q, %v", uid, ok)
		}
		if _, ok := v.Take("n"); ok {
			t.Error("taken twice")
		}
		v.Add(node("n", ""))
		time.Sleep(decisionTTL)
		if _, ok := v.Take("n"); ok {
			t.Error("too old")
		}
	})
}

func TestEventsHaveTheirOwnClient(t *testing.T) {
	quiet := func(e *corev1.Event) bool {
		return e.Reason == "SyncLoadBalancerFailed" && e.InvolvedObject.UID == "busy"
	}
	c, inner, events := decorated(NewDecisions(), quiet)
	sink := c.CoreV1().Events("")
	for _, e := range []struct {
		reason string
		uid    types.UID
	}{{"SyncLoadBalancerFailed", "busy"}, {"SyncLoadBalancerFailed", "broken"}, {"EnsuredLoadBalancer", "busy"}} {
		event := &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: "shop", Name: e.reason + "." + string(e.uid)},
			Reason:         e.reason,
			InvolvedObject: corev1.ObjectReference{UID: e.uid},
		}
		//nolint:staticcheck // it is what client-go's broadcaster calls
		if _, err := sink.CreateWithEventNamespace(event); err != nil {
			t.Error(err)
		}
	}
	if len(verbs(inner)) > 0 {
		t.Errorf("the controller's client got %v", verbs(inner))
	}
	if got := len(verbs(events)); got != 2 {
		t.Errorf("%d events sent, want all but the false alarm: %v", got, verbs(events))
	}
}

// A recorder that sends nothing but routine is left waiting; others don't wait for it.
func TestMutedRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopping := make(chan struct{})
		inner, sent := fake.NewClientset(), fake.NewClientset()
		builder := &Builder{
			Quiet: func(*corev1.Event) bool { return false }, Stopping: stopping,
			Mute: func(e *corev1.Event) bool { return e.Source.Component == "chatty" },
		}
		c := builder.Decorate(inner, sent)
		started := make(chan string, 100)
		start := func(component string) record.EventRecorder {
			broadcaster := record.NewBroadcaster(record.WithContext(t.Context()), record.WithCorrelatorOptions(record.CorrelatorOptions{
				KeyFunc: func(e *corev1.Event) (string, string) {
					started <- component
					return record.EventAggregatorByReasonFunc(e)
				},
			}))
			broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: c.CoreV1().Events("")})
			t.Cleanup(broadcaster.Shutdown)
			return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: component})
		}
		chatty, other := start("chatty"), start("other")
		for n := range 3 {
			chatty.Event(node(strconv.Itoa(n), ""), corev1.EventTypeNormal, "Synced", "m")
			other.Event(node(strconv.Itoa(n), ""), corev1.EventTypeNormal, "Removed", "m")
		}
		synctest.Wait()
		counts := map[string]int{}
		for range len(started) {
			counts[<-started]++
		}
		if diff := cmp.Diff(map[string]int{"chatty": 1, "other": 3}, counts); diff != "" {
			t.Errorf("events that were remembered (-want +got):\n%s", diff)
		}
		if got := len(verbs(sent)); got != 3 {
			t.Errorf("%d events sent, want the other's: %v", got, verbs(sent))
		}
		close(stopping)
	})
}
