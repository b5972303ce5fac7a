//go:build tools

// Package previous pins the API server of the Kubernetes before the pinned one, see package binaries. It is
// never compiled.
package previous

import _ "k8s.io/kubernetes/cmd/kube-apiserver/app"
