// Package hcloud drives Hetzner: cloud servers and dedicated servers as nodes, load balancers for
// Services, and routes of a network. It understands every annotation and environment variable of the
// upstream cloud controller manager, and writes the same provider-IDs, names and labels. Its packages,
// each of which knows only those above it:
//
//	package           is about
//	config            environment variables
//	api               the client of the cloud API, pages, actions, and what errors mean
//	robot             the web service of dedicated servers
//	server            machines: cloud servers and dedicated servers
//	network           routes
//	label             labels that say whose an object is
//	balancer/desired  which load balancer a Service asks for: annotations, defaults, what the API would store
//	balancer          load balancers: what there is, and the requests that lead to what is asked for
//
// The driver itself only gives them their client and settings.
package hcloud
