// Package metrictest has a sink for tests.
package metrictest

import (
	"strings"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// Ledger is a metric.Sink that remembers everything.
type Ledger struct {
	mu sync.Mutex
	// Sums and Gauges are the values by name and labels; read them when nothing is measured any more.
	Sums   map[string]float64
	Gauges map[string]float64
}

// New returns an empty one.
func New() *Ledger {
	return &Ledger{Sums: map[string]float64{}, Gauges: map[string]float64{}}
}

func key(d *metric.Definition, labels []string) string {
	if len(labels) != len(d.Labels) {
		panic("wrong number of labels for " + d.Name)
	}
	return d.Name + " " + strings.Join(labels, "|")
}

// Add implements metric.Sink.
func (l *Ledger) Add(d *metric.Definition, value float64, labels ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Sums[key(d, labels)] += value
}

// Set implements metric.Sink.
func (l *Ledger) Set(d *metric.Definition, value float64, labels ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Gauges[key(d, labels)] = value
}

// Observe implements metric.Sink: it adds the values up.
func (l *Ledger) Observe(d *metric.Definition, value float64, labels ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Sums[key(d, labels)] += value
}

// Sum is what was added to a counter, or observed by a histogram.
func (l *Ledger) Sum(d *metric.Definition, labels ...string) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Sums[key(d, labels)]
}

// Gauge is the value of a gauge, false when it was never set.
func (l *Ledger) Gauge(d *metric.Definition, labels ...string) (float64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	value, ok := l.Gauges[key(d, labels)]
	return value, ok
}
