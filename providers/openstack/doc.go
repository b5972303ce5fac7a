// Package openstack is the driver for clouds built on OpenStack: machines of Nova, load
// balancers of Octavia, routes of Neutron routers. It takes over from the upstream
// cloud-provider-openstack: same configuration file, annotations, names and tags. Its packages:
//
//	package  is about
//	config   cloud.conf, clouds.yaml, the environment variables, and the credential they make
//	api      requests: objects, lists page by page, and what errors mean
//	session  the token, the endpoints, and what the APIs can do
//	option   the annotations of a Service
//	neutron  ports, networks and subnets, which several packages use
//	nova     machines: servers, their addresses and provider-IDs
//	route    routes to pods on a router
//	tag      names, descriptions and tags of load balancers and their parts
//	octavia  load balancers, with their floating IPs and security groups
//
// The driver itself only gives them their clients and settings.
package openstack
