// Package process runs the programs that tests are made of: each in a process
// group of its own, with its output in a file, and gone when the test is.
package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// stopGrace is what a program gets to end by itself before it is killed.
	stopGrace = 10 * time.Second
	// tailBytes and tailLines are how much of a log Tail returns.
	tailBytes, tailLines = 16 << 10, 15
)

// Spec says what is run.
type Spec struct {
	// Path is that of the program.
	Path string
	Args []string
	// Dir is the working directory, and receives the log.
	Dir string
	// Name is that of the log, <name>.log. Default: the program's.
	Name string
	// Namespaces are those that the program gets for itself: [Network] or
	// [Machine]. Linux only.
	Namespaces uintptr
}

// Process is a running program with its output in a file. The methods of a
// nil Process are those of one that has ended.
type Process struct {
	name  string
	log   string
	pid   int
	ended context.Context // done when the program has ended, with the reason
}

// collection has Go programs, most of them control planes of a few megabytes, collect garbage half as often: what
// they would spend on it, tests wait for. GOGC in the environment stands above it.
const collection = "GOGC=200"

// Start runs a program with its output appended to its log. Its environment
// is empty but for PATH, HOME, TMPDIR and GOGC, because ETCD_*, KUBE_* and proxies
// would be configuration. The program dies with this process where the
// platform can do that.
func Start(s Spec) (*Process, error) {
	if s.Name == "" {
		s.Name = filepath.Base(s.Path)
	}
	p := &Process{name: s.Name, log: filepath.Join(s.Dir, s.Name+".log")}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	defer log.Close()

	cmd := exec.Command(s.Path, s.Args...)
	cmd.Dir, cmd.Env = s.Dir, environment()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = attributes(s.Namespaces)

	ended, end := context.WithCancelCause(context.Background())
	p.ended = ended
	started := make(chan error)
	go func() {
		// Linux kills the child when the thread that started it ends, so
		// that thread is kept for as long as the child runs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			end(fmt.Errorf("%s ended: %w", p.name, exitReason(cmd.Wait())))
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	p.pid = cmd.Process.Pid
	return p, nil
}

// Bind makes a command that was not started yet end with this process and, when its context ends, with everything it has started. On Linux
// it also ends with the thread that starts it: the caller keeps that with runtime.LockOSThread until it has ended.
func Bind(cmd *exec.Cmd) {
	cmd.SysProcAttr = attributes(0)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = stopGrace
}

func environment() []string {
	env := []string{collection}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOGC"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func exitReason(err error) error {
	if err == nil {
		return fmt.Errorf("exit status 0")
	}
	return err
}

// Name returns what the program is called.
func (p *Process) Name() string { return p.name }

// PID returns the process ID.
func (p *Process) PID() int { return p.pid }

// Running reports whether the program has not ended.
func (p *Process) Running() bool { return p != nil && p.ended.Err() == nil }

// Ended returns a context that is done when the program has ended. Its cause
// says how.
func (p *Process) Ended() context.Context { return p.ended }

// Stop ends the program and everything it started, kindly at first, and
// returns when it is gone.
func (p *Process) Stop() {
	if !p.Running() {
		return
	}
	p.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(stopGrace, func() { p.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	<-p.ended.Done()
}

// Kill is Stop without the kindness.
func (p *Process) Kill() {
	if !p.Running() {
		return
	}
	p.Signal(syscall.SIGKILL)
	<-p.ended.Done()
}

// Signal reaches the whole process group. It fails only when that is gone.
func (p *Process) Signal(s syscall.Signal) { _ = syscall.Kill(-p.pid, s) }

// Tail returns the last lines of the log.
func (p *Process) Tail() string {
	data, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	data = data[max(0, len(data)-tailBytes):]
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
