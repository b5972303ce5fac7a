package ccm

import "syscall"

// maxrssUnit is the unit of Rusage.Maxrss in bytes.
const maxrssUnit = 1024

// processAttributes let the process die with the test, and keep a Ctrl-C meant for the
// test from it.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
