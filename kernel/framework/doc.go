// Package framework runs one cloud behind the unmodified controllers of
// k8s.io/cloud-provider. Nothing but it and the packages below it imports them.
//
//	API server ──▶ one shared informer each for Nodes and Services, stripped
//	                 │
//	               views          what is ours; bursts joined; what is never repeated, repeated
//	                 │
//	               controllers    node, node-lifecycle, service, route: upstream's own
//	                 │
//	               adapters       deadline, priority, contained panics, sentinel errors
//	                 │
//	               kernel         instance, loadbalancer, route, firewall
//
// What upstream's controllers get wrong is put right around them, not in them: a view may
// hide, delay, join or repeat an event; the client refuses or drops a write.
package framework
