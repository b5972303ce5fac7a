// Package ccm runs the real binary of this repository as a process of its own, the way a
// pod would: with a ServiceAccount's kubeconfig, environment variables and signals.
package ccm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// Options say how the binary is started.
type Options struct {
	// Binary is its path, see Build.
	Binary string
	// Kubeconfig is used for everything, authentication and authorization included.
	Kubeconfig string
	// Provider is --cloud-provider.
	Provider string
	// Certificate is what the binary serves with. The zero value has it make an RSA key of its own, which takes
	// up to a second of processor time, and several with the race detector.
	Certificate controlplane.CertificateFiles
	// Env is added to an otherwise empty environment, as NAME=value.
	Env []string
	// Args are appended, so they win over the defaults below.
	Args []string
	// Dir receives the log.
	Dir string
	// Name tells processes of one test apart in the log's file name.
	Name string
}

// Process is a running binary.
type Process struct {
	cmd  *exec.Cmd
	port int
	// release gives the port back.
	release func()
	log     string
	done    chan struct{}

	mu  sync.Mutex
	err error // of Wait, once done is closed
}

// Memory is resident memory, in bytes.
type Memory struct {
	// Peak is the most there was.
	Peak int64
	// Binary are the pages of the binary in it: clean ones, which the kernel takes back when somebody needs memory.
	Binary int64
}

// NoRaceSleep is for the environment of a binary with the race detector, which would sleep for a second at
// its end, so that goroutines can go on racing.
const NoRaceSleep = "GORACE=atexit_sleep_ms=0"

// raceNote is the line of k8s.io/component-base where the race detector is on.
var raceNote = regexp.MustCompile(`(?m)^.* withrace\.go:\d+\] .*\n`)

// WithoutRaceNote is what a command wrote to its standard error, without the line about the race detector.
func WithoutRaceNote(stderr string) string { return raceNote.ReplaceAllString(stderr, "") }

// Start starts the binary. It does not wait for anything; see Healthy.
func Start(o Options) (*Process, error) {
	port, release, err := controlplane.ReservePort()
	if err != nil {
		return nil, err
	}
	p := &Process{port: port, release: release, log: filepath.Join(o.Dir, "ccm-"+o.Name+".log"), done: make(chan struct{})}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		release()
		return nil, fmt.Errorf("opening log of the ccm: %w", err)
	}
	defer out.Close()
	p.cmd = exec.Command(o.Binary, append(p.args(o), o.Args...)...)
	// A race is found in the log (lab.RaceReports); it must not change the exit code.
	p.cmd.Env = append([]string{"HOME=" + o.Dir, "PATH=" + os.Getenv("PATH"), NoRaceSleep + " exitcode=0"}, o.Env...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.SysProcAttr = processAttributes()
	if err := p.cmd.Start(); err != nil {
		release()
		return nil, fmt.Errorf("starting the ccm: %w", err)
	}
	go p.wait()
	return p, nil
}

func (p *Process) args(o Options) []string {
	args := []string{
		"--cloud-provider=" + o.Provider,
		"--kubeconfig=" + o.Kubeconfig,
		"--authentication-kubeconfig=" + o.Kubeconfig,
		"--authorization-kubeconfig=" + o.Kubeconfig,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(p.port),
		"--permit-port-sharing=true", // with whoever keeps the port, see controlplane.ReservePort
		"--leader-elect=false",
		"--v=2",
	}
	if o.Certificate != (controlplane.CertificateFiles{}) {
		args = append(args, "--tls-cert-file="+o.Certificate.Certificate, "--tls-private-key-file="+o.Certificate.Key)
	}
	return args
}

func (p *Process) wait() {
	err := p.cmd.Wait()
	p.release()
	p.mu.Lock()
	p.err = err
	p.mu.Unlock()
	close(p.done)
}

// Kill ends the process at once, like kill -9, and waits until it is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Freeze keeps the process from doing anything until Thaw. Its lease goes on to be its own for some seconds.
func (p *Process) Freeze() { _ = p.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw lets the process go on.
func (p *Process) Thaw() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }

// Stop sends SIGTERM and waits. The error says that the process had to be killed when ctx
// ended, or that it exited with a code other than 0.
func (p *Process) Stop(ctx context.Context) error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return p.Err()
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("stopping the ccm: %w; log: %s", ctx.Err(), p.Tail())
	}
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns how the process ended: nil while it runs and after exit code 0.
func (p *Process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("the ccm ended: %w; log: %s", p.err, p.Tail())
}

// ExitCode returns the exit code of a process that has ended, -1 after a signal.
func (p *Process) ExitCode() int { return p.cmd.ProcessState.ExitCode() }

// LogPath returns the path of its log.
func (p *Process) LogPath() string { return p.log }

// Log returns its whole log.
func (p *Process) Log() string {
	content, _ := os.ReadFile(p.log)
	return string(content)
}

// Tail returns the last lines of its log.
func (p *Process) Tail() string {
	lines := strings.Split(strings.TrimRight(p.Log(), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// CPU returns the processor time of an ended process.
func (p *Process) CPU() time.Duration {
	state := p.cmd.ProcessState
	return state.UserTime() + state.SystemTime()
}

// Healthy waits until /healthz answers 200.
func (p *Process) Healthy(ctx context.Context) error {
	return controlplane.Eventually(ctx, func(ctx context.Context) error {
		select {
		case <-p.done:
			return errors.Join(errors.New("the ccm has ended"), p.Err())
		default:
		}
		_, err := p.Get(ctx, "/healthz", "")
		return err
	})
}

// URL returns where a path of the secure port is.
func (p *Process) URL(path string) string { return fmt.Sprintf("https://127.0.0.1:%d%s", p.port, path) }

// Get reads a path of the secure port, with a bearer token unless it is "".
func (p *Process) Get(ctx context.Context, path, token string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL(path), nil)
	if err != nil {
		return "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := insecure.Do(request)
	if err != nil {
		return "", fmt.Errorf("reading %s of the ccm: %w", path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("reading %s of the ccm: %s: %s", path, response.Status, body)
	}
	return string(body), err
}

// insecure trusts the self-signed certificate that the framework makes at start.
var insecure = &http.Client{
	Timeout:   10 * time.Second,
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
}
