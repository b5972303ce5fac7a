package ccm

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// processAttributes let the process die with the test, and keep a Ctrl-C meant for the
// test from it.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// Memory returns the memory of a process that still runs. What the kernel reports when it has ended is no use:
// that includes its parent's, at the fork.
func (p *Process) Memory() (m Memory, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return m, fmt.Errorf("reading the memory of the ccm: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); err == nil {
			m.Peak = kilobytes << 10
		}
		if _, err := fmt.Sscanf(line, "RssFile: %d kB", &kilobytes); err == nil {
			m.Binary = kilobytes << 10
		}
	}
	if m.Peak == 0 || m.Binary == 0 {
		return m, fmt.Errorf("reading the memory of the ccm: there is no VmHWM or RssFile in its status")
	}
	return m, nil
}

// CPUSoFar returns the processor time of a process that still runs.
func (p *Process) CPUSoFar() (time.Duration, error) {
	const ofWholeProcess = 2 // CPUCLOCK_SCHED, see clock_getcpuclockid(3)
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^p.cmd.Process.Pid<<3|ofWholeProcess), &used); err != nil {
		return 0, fmt.Errorf("reading the processor time of the ccm: %w", err)
	}
	return time.Duration(used.Nano()), nil
}
