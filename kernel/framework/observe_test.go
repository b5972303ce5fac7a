package framework

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

func TestMetrics(t *testing.T) {
	if Metrics() != Metrics() {
		t.Fatal("registered twice")
	}
	for _, d := range metric.All() {
		labels := make([]string, len(d.Labels))
		for i := range labels {
			labels[i] = "x"
		}
		switch d.Type {
		case metric.Counter:
			Metrics().Add(d, 1, labels...)
		case metric.Gauge:
			Metrics().Set(d, 1, labels...)
		case metric.Histogram:
			Metrics().Observe(d, 1, labels...)
		}
	}
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, family := range families {
		found[family.GetName()] = true
	}
	for _, d := range metric.All() {
		if !found[d.Name] {
			t.Errorf("%s is not exposed", d.Name)
		}
	}
}

func TestRecorder(t *testing.T) {
	server := fake.NewClientset()
	r := newRecorder()
	object := event.Object{Kind: "Service", Namespace: "shop", Name: "web", UID: "7"}
	r.Record(object, event.NoTargets, "before anybody leads")
	r.start(server.CoreV1())
	defer r.broadcaster.Shutdown()
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
				got.InvolvedObject.UID != "7" || got.Source.Component != component || len(list.Items) != 1 {
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
