package controlplane

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
	// logTail is how much of a log an error quotes, in bytes and lines.
	logTailBytes, logTailLines = 16 << 10, 15
)

// process is a running program with its output in a file.
type process struct {
	name    string
	logPath string
	pid     int
	ended   context.Context // done when the program has ended, with the reason
}

// startProcess runs the program at path in a process group of its own, with
// its output appended to a file in dir. The program dies with this process
// where the platform can do that.
func startProcess(dir, path string, args ...string) (*process, error) {
	p := &process{name: filepath.Base(path)}
	p.logPath = filepath.Join(dir, p.name+".log")
	log, err := os.OpenFile(p.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	defer log.Close()

	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, processEnv()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = processAttributes()

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

// processEnv leaves out everything that the programs would take as
// configuration: ETCD_*, KUBE_*, proxies.
func processEnv() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
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

// waitReady returns nil once probe does. Its error, when the program ends or
// ctx does first, contains the end of the program's log.
func (p *process) waitReady(ctx context.Context, probe func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	//nolint:contextcheck // the program's end is not the caller's
	defer context.AfterFunc(p.ended, func() { cancel(context.Cause(p.ended)) })()
	if err := Eventually(ctx, probe); err != nil {
		return fmt.Errorf("wait for %s to be ready: %w; end of its log:\n%s", p.name, err, tail(p.logPath))
	}
	return nil
}

// stop ends the program and everything it started, kindly at first, and
// returns when it is gone. Stopping a nil or ended process does nothing.
func (p *process) stop() {
	if p == nil || p.ended.Err() != nil {
		return
	}
	p.signal(syscall.SIGTERM)
	timer := time.AfterFunc(stopGrace, func() { p.signal(syscall.SIGKILL) })
	defer timer.Stop()
	<-p.ended.Done()
}

// kill is stop without the kindness.
func (p *process) kill() {
	if p == nil || p.ended.Err() != nil {
		return
	}
	p.signal(syscall.SIGKILL)
	<-p.ended.Done()
}

// signal reaches the whole process group. It fails only when that is gone.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.pid, s) }

// tail returns the last lines of the file at path.
func tail(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	data = data[max(0, len(data)-logTailBytes):]
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-logTailLines):], "\n")
}
