// Package neutron knows the objects of Neutron that several packages use: ports, networks, subnets.
package neutron
