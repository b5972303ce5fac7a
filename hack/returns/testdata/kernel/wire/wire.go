// Package wire connects the others.
package wire

import (
	"example.com/clouds/kernel/balancer"
	"example.com/clouds/kernel/machine"
)

func Wire() *balancer.Manager {
	return balancer.New(balancer.Options{Machines: &machine.Store{}, Record: record})
}

func record() {}
