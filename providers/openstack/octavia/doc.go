// Package octavia keeps load balancers: the listeners, pools, members and monitors of Octavia, and the
// floating IPs and security groups of Neutron that belong to them. The kernel compares and orders what
// it observes and wants:
//
//	files                                   are about
//	object, snapshot, observe, view         what there is
//	listeners, members, placement, version  what a Service asks for, and what the cloud can do
//	normalize, precheck, certificate        the same as a whole, and whether it can be
//	resources, balancer, tree               resources and their kinds
//	floatingip, group                       those of Neutron
//	share, replace                          balancers of several Services, and one in the place of another
package octavia
