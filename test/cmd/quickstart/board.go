package main

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// The two clusters.
const (
	without = iota
	with
)

var sideNames = [2]string{"without a CCM", "with multicloud-ccm"}

// side is what is known about one cluster.
type side struct {
	nodes   map[string]*corev1.Node // nil for a Node that was there
	service *corev1.Service         // nil before it was created
	// answer is the last that came through the balancer.
	answer exchange
	// warnings are the events of type Warning that came before anything was wrong.
	warnings []string
	// log returns the log of the CCM; nil where there is none.
	log func() string
}

// board is what is known about both clusters, and whether it is what was expected.
type board struct {
	rows  []row
	tests []*expectation
	show  func(change)

	mu      sync.Mutex
	sides   [2]*side
	phase   phase
	since   time.Time // start of the phase
	changed chan struct{}
}

// change is a new value of a row.
type change struct {
	side          int
	row           row
	before, after string
}

func newBoard(c cloud, log func() string, show func(change)) *board {
	b := &board{rows: rows(c), tests: expectations(c), show: show, changed: make(chan struct{}), since: time.Now()}
	for i := range b.sides {
		b.sides[i] = &side{nodes: map[string]*corev1.Node{}}
	}
	b.sides[with].log = log
	return b
}

// update changes what is known about one side, shows the differences and wakes everybody
// who waits.
func (b *board) update(i int, mutate func(*side)) {
	b.mu.Lock()
	before := b.values(i)
	mutate(b.sides[i])
	after := b.values(i)
	b.judge()
	close(b.changed)
	b.changed = make(chan struct{})
	b.mu.Unlock()
	for r := range b.rows {
		if before[r] != after[r] {
			b.show(change{side: i, row: b.rows[r], before: before[r], after: after[r]})
		}
	}
}

// enter begins a phase. What was answered before it says nothing about it.
func (b *board) enter(p phase) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.phase, b.since = p, time.Now()
	b.sides[with].answer = exchange{}
	b.judge()
}

// warned keeps a Warning of a side, unless machines have failed.
func (b *board) warned(i int, text string) {
	b.mu.Lock()
	early := b.phase < outage
	b.mu.Unlock()
	if early {
		b.update(i, func(s *side) { s.warnings = append(s.warnings, text) })
	}
}

// judge looks at all expectations of the phase.
func (b *board) judge() {
	for _, e := range b.tests {
		if e.phase == b.phase {
			e.judge(b.sides, time.Since(b.since))
		}
	}
}

// missing returns what is expected of the cluster with the CCM in this phase and has not
// happened yet, and what is closed with the next change. What must not happen in the other
// cluster can only be judged when nothing is missing any more.
func (b *board) missing() (names []string, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.judge()
	for _, e := range b.tests {
		if e.phase == b.phase && !e.meets(with) {
			names = append(names, e.name)
		}
	}
	return names, b.changed
}

// results returns copies of all expectations.
func (b *board) results() []expectation {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []expectation
	for _, e := range b.tests {
		list = append(list, *e)
	}
	return list
}

// service returns the Service of a side, nil before it was created.
func (b *board) service(i int) *corev1.Service {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sides[i].service
}

// answer returns the last answer that came through the balancer.
func (b *board) answer() exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sides[with].answer
}

// snapshot returns the value of every row on every side.
func (b *board) snapshot() [2][]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return [2][]string{b.values(without), b.values(with)}
}

func (b *board) values(i int) []string {
	list := make([]string, len(b.rows))
	for r, row := range b.rows {
		list[r] = row.value(b.sides[i])
	}
	return list
}
