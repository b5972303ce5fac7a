// Package octavia keeps load balancers: the listeners, pools, members and monitors of Octavia, and the
// floating IPs and security groups of Neutron that belong to them. The kernel compares and orders what
// it observes and wants. Its packages, each of which knows only those above it:
//
//	package     is about
//	object      what the APIs show
//	desired     what a Service asks for
//	owner       whose a load balancer and its parts are
//	check       whether what a Service names is there
//	floatingip  floating IPs
//	secgroup    security groups
//	resource    of which resources a load balancer consists, and how each is written
//
// The package itself finds the load balancer of a Service and gives the kernel its portable view.
package octavia
