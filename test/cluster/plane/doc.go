// Package plane is the data plane of load balancers: it carries the traffic of a list of listeners to nodes, with nftables, in a network
// namespace that routes between clients and nodes. Nothing of it is on the machine itself.
//
//	a client   198.51.100.1
//	  │
//	the switch           a route to each load balancer; the table "balancers" chooses a target for each new flow
//	  │
//	node-1, node-2       kube-proxy answers at a node port, or at the load balancer's own address and port
//
// A flow keeps its target, the client's address is kept, and TCP and UDP are the same: what a network load balancer does. A port that nobody
// listens on is closed: TCP gets a reset, and UDP the ICMP message "port unreachable".
package plane
