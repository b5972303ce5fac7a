// Package desired is about what a Service asks for: its annotations, and the load balancer that they make. It knows nothing of requests.
package desired
