package framework

import (
	"testing"

	"k8s.io/component-base/metrics/legacyregistry"

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
