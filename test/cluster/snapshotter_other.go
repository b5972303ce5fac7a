//go:build !linux

package cluster

func snapshotter(string) string { return "native" }
