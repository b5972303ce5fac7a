//go:build !linux

package ccm

import (
	"syscall"
	"time"
)

// processAttributes keep a Ctrl-C meant for the test from the process.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Memory is only known on Linux; elsewhere it is 0.
func (p *Process) Memory() (Memory, error) { return Memory{}, nil }

// CPUSoFar is only known on Linux; elsewhere it is 0.
func (p *Process) CPUSoFar() (time.Duration, error) { return 0, nil }
