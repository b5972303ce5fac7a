// Package controlplane runs a real Kubernetes control plane on one machine,
// for tests and for the quickstart. It needs the go command and a module
// proxy, but no root, container runtime or image registry.
//
// The programs (etcd, kube-apiserver, kube-controller-manager and kubectl) are
// compiled from their Go modules, which the nested modules binaries and etcd
// pin, and are kept in a cache: the first build takes minutes, later ones
// nothing.
//
//	cp, err := controlplane.Start(ctx, controlplane.Options{})
//	if err != nil { ... }
//	defer cp.Stop()
//
// There is no kubelet: [ControlPlane.JoinNode] writes Node objects as a kubelet
// with --cloud-provider=external would.
//
// The package works on Linux and macOS.
package controlplane
