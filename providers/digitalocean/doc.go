// Package digitalocean drives DigitalOcean: droplets as nodes, load balancers for Services
// and one cloud firewall in front of the nodes. It understands every annotation and
// environment variable of the upstream cloud controller manager and takes over its
// balancers with their addresses. Its packages, each of which knows only those above it:
//
//	package     is about
//	identifier  what the API accepts as id, tag and name
//	config      environment variables
//	api         the client, pages, and what errors mean
//	droplet     machines
//	balancer    load balancers; its comment lists the packages below it
//	firewall    the cloud firewall
//
// The driver itself only gives them their client and settings.
package digitalocean
