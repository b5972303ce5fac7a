// Package toycloud is an example: the driver of a cloud whose load balancers consist of several
// resources. docs/how-to/add-a-cloud.md builds it step by step. Copy it to begin a new driver; it is
// compiled into no product, and its tests run it through the conformance suite.
//
//	driver.go      what the provider is (Descriptor), how a driver is built (New), classes of errors
//	machines.go    machines
//	annotation.go  what users can write on a Service
//	balancer.go    how a load balancer is found, and which one a Service asks for
//	resources.go   what a load balancer consists of, and the requests that change it
//
// The package api below this one stands for the SDK of the cloud. A load balancer of the toy cloud is
// a balancer, which has a name, a health check, labels and machines as targets, and listeners, which
// are objects of their own. Each change keeps the balancer busy for a moment.
package toycloud
