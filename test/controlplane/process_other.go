//go:build !linux

package controlplane

import "syscall"

// processAttributes give a child its own process group, so that Ctrl-C in a
// terminal reaches only this process. Unlike on Linux, the child survives when
// this process is killed.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
