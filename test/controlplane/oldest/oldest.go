//go:build tools

// Package oldest pins the API server of the oldest Kubernetes that the chart accepts, see
// package binaries. It is never compiled.
package oldest

import _ "k8s.io/kubernetes/cmd/kube-apiserver/app"
