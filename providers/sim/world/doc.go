// Package world is a cloud in memory behind a small HTTP API: machines, networks, load
// balancers that can really carry TCP, and routes. It is strict like a real cloud: unknown
// fields and bad values are refused, values are stored in a canonical form, names are
// unique, new balancers take their time.
//
// The API has two halves on one port. The driver's half (operations.go) is counted, slowed
// down and subject to faults. The steering half (steering.go) is for tests and
// demonstrations: it stops machines, plants faults and shows the whole state.
//
// This package is that API. Below it:
//
//	package  is about
//	state    what the cloud holds, and how it changes
//	proxy    the traffic of load balancers, and the probes of their targets
//	fault    answers that go wrong
//
// Several processes may use one world at once, as replicas do with a real cloud.
package world
