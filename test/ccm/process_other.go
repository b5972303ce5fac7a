//go:build !linux

package ccm

import "syscall"

// maxrssUnit is the unit of Rusage.Maxrss in bytes.
const maxrssUnit = 1

// processAttributes keep a Ctrl-C meant for the test from the process.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
