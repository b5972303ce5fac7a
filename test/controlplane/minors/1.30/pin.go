//go:build tools

// Package pin pins the API server of Kubernetes 1.30, see package binaries. It is never compiled.
package pin

import _ "k8s.io/kubernetes/cmd/kube-apiserver/app"
