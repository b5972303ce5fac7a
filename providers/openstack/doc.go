// Package openstack is the driver for clouds built on OpenStack: machines of Nova, load
// balancers of Octavia, routes of Neutron routers. It takes over from the upstream
// cloud-provider-openstack: same configuration file, annotations, names and tags.
package openstack
