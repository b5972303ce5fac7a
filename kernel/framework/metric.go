package framework

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// sink sends measurements to the registry behind /metrics.
type sink struct {
	vecs map[*metric.Definition]metrics.Registerable
}

// Metrics returns the sink of this process. Metrics are registered once, whatever the
// number of clouds.
var Metrics = sync.OnceValue(func() metric.Sink {
	s := &sink{vecs: map[*metric.Definition]metrics.Registerable{}}
	for _, d := range metric.All() {
		s.vecs[d] = build(d)
		legacyregistry.MustRegister(s.vecs[d])
	}
	return s
})

func build(d *metric.Definition) metrics.Registerable {
	switch d.Type {
	case metric.Counter:
		return metrics.NewCounterVec(&metrics.CounterOpts{Name: d.Name, Help: d.Help, StabilityLevel: metrics.ALPHA}, d.Labels)
	case metric.Gauge:
		return metrics.NewGaugeVec(&metrics.GaugeOpts{Name: d.Name, Help: d.Help, StabilityLevel: metrics.ALPHA}, d.Labels)
	default:
		return metrics.NewHistogramVec(&metrics.HistogramOpts{Name: d.Name, Help: d.Help, Buckets: d.Buckets, StabilityLevel: metrics.ALPHA}, d.Labels)
	}
}

func (s *sink) Add(d *metric.Definition, value float64, labels ...string) {
	if vec, ok := s.vecs[d].(*metrics.CounterVec); ok {
		vec.WithLabelValues(labels...).Add(value)
	}
}

func (s *sink) Set(d *metric.Definition, value float64, labels ...string) {
	if vec, ok := s.vecs[d].(*metrics.GaugeVec); ok {
		vec.WithLabelValues(labels...).Set(value)
	}
}

func (s *sink) Observe(d *metric.Definition, value float64, labels ...string) {
	if vec, ok := s.vecs[d].(*metrics.HistogramVec); ok {
		vec.WithLabelValues(labels...).Observe(value)
	}
}
