// Package cluster runs a real Kubernetes cluster on one Linux machine, as root: the control
// plane of package controlplane with kube-scheduler, and nodes that run pods, each with a
// kubelet, a containerd and a kube-proxy of its own. There is no image registry, no Docker
// and no virtual machine.
//
//	c, err := cluster.Start(ctx, cluster.Options{Nodes: 2})
//	if err != nil { ... }
//	defer c.Stop()
//
// A node is a process that does nothing, in a network, mount, process, host-name and IPC
// namespace of its own; everything else of the node runs in those namespaces:
//
//	the machine           10.111.N.1  kube-apiserver, the nodes' resolver, the tests, a cloud's balancers
//	  └─ veth mccmN ─┐
//	the switch       ├─ a network namespace with a bridge in it
//	  ┌─ veth ───────┤
//	  node-1         └─ node-2        10.111.N.11, 10.111.N.12
//	  containerd, kubelet, kube-proxy, pods on the bridge pods0
//
// So every node has all ports, its own iptables, /run and /var/lib. When the process ends,
// the kernel ends everything in the node and takes its mounts, devices and rules away. That
// also happens when the test itself is killed. What can outlive a crash is a folder and empty
// cgroups, which the next start removes.
//
// Kubelets run with --cloud-provider=external, so nodes are tainted until a cloud controller
// manager, or the test, initialises them.
package cluster
