// Package hcloud drives Hetzner: cloud servers and dedicated servers as nodes, load balancers for
// Services, and routes of a network. It understands every annotation and environment variable of the
// upstream cloud controller manager, and writes the same provider-IDs, names and labels. Its packages,
// each of which knows only those above it:
//
//	package   is about
//	config    environment variables
//	api       the client of the cloud API, pages, actions, and what errors mean
//	robot     the web service of dedicated servers
//	server    machines: cloud servers and dedicated servers
//	network   routes
//	balancer  load balancers
//
// The driver itself only gives them their client and settings.
package hcloud
