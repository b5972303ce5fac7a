// Package digitalocean drives DigitalOcean: droplets as nodes, load balancers for Services
// and one cloud firewall in front of the nodes. It understands every annotation and
// environment variable of the upstream cloud controller manager and takes over its
// balancers with their addresses.
package digitalocean
