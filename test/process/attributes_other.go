//go:build !linux

package process

import "syscall"

// attributes give a child its own process group, so that Ctrl-C in a terminal
// reaches only this process. Unlike on Linux, the child survives when this
// process is killed.
func attributes(uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// Network and Machine are Linux' namespaces; there are none here.
const Network, Machine = 0, 0
