//go:build tools

// Package binaries pins the Kubernetes programs that the test control plane
// and the test cluster are built from. It is never compiled: the imports only
// keep every package those programs need in go.mod and go.sum.
//
// To move to another version, change the require (v1.X.Y) and all replaces
// (v0.X.Y) in go.mod, then run go mod tidy. Where the tests and the program have
// a newer version of a module, so has this one: what they compile is then
// compiled once, which is half of the packages.
package binaries

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	_ "k8s.io/kubernetes/cmd/kube-proxy/app"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app"
	_ "k8s.io/kubernetes/cmd/kubectl"
	_ "k8s.io/kubernetes/cmd/kubelet/app"
)
