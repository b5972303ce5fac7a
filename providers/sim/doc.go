// Package sim is the driver of a cloud in memory. It is the one to read first: it has everything that a driver has to do.
//
//	sim.go         what the provider is (Descriptor), how a driver is built (New), owner tags, classes of errors
//	annotation.go  what users can write on a Service
//	instance.go    machines
//	normalize.go   the balancer a Service asks for, as the API would store it
//	balancer.go    reading and changing a balancer
//	route.go       routes for pod CIDRs
//
// Package api stands for the SDK that other clouds have, package setting reads the variables. The cloud itself is package world,
// which the driver knows only through HTTP. Package static is about servers beside it.
package sim
