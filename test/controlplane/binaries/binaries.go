//go:build tools

// Package binaries pins the Kubernetes programs that the test control plane
// is built from. It is never compiled: the imports only keep every package
// those programs need in go.mod and go.sum.
package binaries

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
