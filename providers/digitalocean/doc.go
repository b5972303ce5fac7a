// Package digitalocean drives DigitalOcean: droplets as nodes, load balancers for Services
// and one cloud firewall in front of the nodes. It understands every annotation and
// environment variable of the upstream cloud controller manager and takes over its
// balancers with their addresses. Its packages, each of which knows only those above it:
//
//	package     is about
//	identifier  what the API accepts as id, tag and name
//	mark        tags that say whose a load balancer is
//	config      environment variables
//	api         the client, pages, and what errors mean
//	option      the annotations of a Service
//	droplet     machines
//	desired     what a Service asks for
//	balancer    load balancers
//	firewall    the cloud firewall
//
// The driver itself only gives them their client and settings.
package digitalocean
