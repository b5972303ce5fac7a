// Package toy is a driver.
package toy

import "example.com/clouds/kernel/balancer/second"

type reading struct{}

// Observe leads to the kernel, which is not read.
func (reading) Observe() { second.Make() }

type Driver struct{ reading }

type Balancers struct{}

func (*Balancers) Observe() {}

func (b *Balancers) Apply() { b.Observe() }
