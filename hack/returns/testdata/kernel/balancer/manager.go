// Package balancer is what the tests follow.
package balancer

import "example.com/clouds/kernel/balancer/second"

type machines interface{ Find() }

type sizes interface{ Size() }

type Options struct {
	Record   func()
	Machines machines
}

type Manager struct {
	record   func()
	machines machines
	sizes    sizes
	step     func() // of two functions
	rule     func() // of more than few
}

func New(o Options) *Manager {
	m := &Manager{record: o.Record, machines: o.Machines, step: first}
	m.step = func() { last() }
	return m
}

// Ensure leads to look.go and comes back.
func (m *Manager) Ensure() {
	look()
	decide()
}

// Delete is on one path with Ensure.
func (m *Manager) Delete() { decide() }

func decide() {}

// Save leads through two fields to wire.go.
func (m *Manager) Save() { m.record() }

// Count leads to the only implementation, in machine.go.
func (m *Manager) Count() { m.machines.Find() }

// Measure leads nowhere: two types have a Size.
func (m *Manager) Measure() { m.sizes.Size() }

// Step leads to first and to the literal in New, which leads to last.
func (m *Manager) Step() { m.step() }

// Check leads nowhere: there are four rules.
func (m *Manager) Check() { m.rule() }

// Pass leads nowhere: a field that is not called.
func (m *Manager) Pass() { _ = m.record }

// Argument leads nowhere: nobody knows what it is given.
func (m *Manager) Argument(f func()) { f() }

// Replace leads to another package.
func (m *Manager) Replace() { second.Make() }

type boxed[T any] struct{ open func(T) }

// Generic leads to the function in a generic struct.
func (m *Manager) Generic() {
	b := boxed[int]{opened}
	b.open(1)
}
