//go:build !linux

package ccm

import "syscall"

// maxrssUnit is the unit of Rusage.Maxrss in bytes.
const maxrssUnit = 1

func processAttributes() *syscall.SysProcAttr { return nil }
