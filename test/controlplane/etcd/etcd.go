//go:build tools

// Package etcd pins the etcd server that the test control plane stores its
// objects in. It is never compiled: the import only keeps every package etcd
// needs in go.mod and go.sum. It is a module of its own because Kubernetes
// pins an older etcd.
package etcd

import _ "go.etcd.io/etcd/server/v3/etcdmain"
