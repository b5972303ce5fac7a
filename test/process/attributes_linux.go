package process

import "syscall"

// attributes give a child its own process group, so that Ctrl-C in a terminal
// reaches only this process, and kill it when this process dies.
func attributes(namespaces uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: namespaces}
}

const (
	// Network is a network namespace, for [Spec.Namespaces].
	Network = syscall.CLONE_NEWNET
	// Machine are all namespaces that make a machine of its own: network,
	// mounts, processes, host name, IPC.
	Machine = Network | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC
)
