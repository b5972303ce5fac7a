package framework

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// sink sends measurements to the registry behind /metrics.
type sink struct {
	counters   map[*metric.Definition]*metrics.CounterVec
	gauges     map[*metric.Definition]*metrics.GaugeVec
	histograms map[*metric.Definition]*metrics.HistogramVec
}

var _ metric.Sink = (*sink)(nil)

// Metrics returns the sink of this process. Metrics are registered once, whatever the
// number of clouds.
var Metrics = sync.OnceValue(func() metric.Sink {
	s := &sink{
		counters:   map[*metric.Definition]*metrics.CounterVec{},
		gauges:     map[*metric.Definition]*metrics.GaugeVec{},
		histograms: map[*metric.Definition]*metrics.HistogramVec{},
	}
	for _, d := range metric.All() {
		legacyregistry.MustRegister(s.build(d))
	}
	return s
})

func (s *sink) build(d *metric.Definition) metrics.Registerable {
	switch d.Type {
	case metric.Counter:
		vec := metrics.NewCounterVec(&metrics.CounterOpts{Name: d.Name, Help: d.Help, StabilityLevel: metrics.ALPHA}, d.Labels)
		s.counters[d] = vec
		return vec
	case metric.Gauge:
		vec := metrics.NewGaugeVec(&metrics.GaugeOpts{Name: d.Name, Help: d.Help, StabilityLevel: metrics.ALPHA}, d.Labels)
		s.gauges[d] = vec
		return vec
	default:
		vec := metrics.NewHistogramVec(&metrics.HistogramOpts{Name: d.Name, Help: d.Help, Buckets: d.Buckets, StabilityLevel: metrics.ALPHA}, d.Labels)
		s.histograms[d] = vec
		return vec
	}
}

func (s *sink) Add(d *metric.Definition, value float64, labels ...string) {
	if vec := s.counters[d]; vec != nil {
		vec.WithLabelValues(labels...).Add(value)
	}
}

func (s *sink) Set(d *metric.Definition, value float64, labels ...string) {
	if vec := s.gauges[d]; vec != nil {
		vec.WithLabelValues(labels...).Set(value)
	}
}

func (s *sink) Observe(d *metric.Definition, value float64, labels ...string) {
	if vec := s.histograms[d]; vec != nil {
		vec.WithLabelValues(labels...).Observe(value)
	}
}
