package process

import "syscall"

// attributes give a child its own process group, so that Ctrl-C in a terminal
// reaches only this process, and kill it when this process dies.
func attributes(namespaces uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: namespaces}
}
