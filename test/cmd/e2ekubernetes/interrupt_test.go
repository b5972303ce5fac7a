package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

const (
	// asCommand, when set in the environment, turns the test program into the command.
	asCommand = "MCCM_TEST_E2EKUBERNETES"
	// upLimit bounds a start, which may have to build a suite, and downLimit an end.
	upLimit   = 30 * time.Minute
	downLimit = time.Minute
)

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// Whenever a run is interrupted, by Ctrl-C in its terminal or by a signal to it alone, nothing of it is left on the machine.
func TestInterruptedRunLeavesNothing(t *testing.T) {
	if os.Getenv("E2E_NODE") == "" {
		t.Skip("it takes nodes that run pods and Kubernetes' own tests: `make e2e-kubernetes` runs it, as root")
	}
	for _, test := range []struct {
		name string
		// line is what the command says when it is time, and process what an argument of one of its processes begins with then.
		line, process string
		signal        syscall.Signal
		toGroup       bool
	}{
		{"Ctrl-C while a spec runs", "parallel processes", "-spec=", syscall.SIGINT, true},
		{"SIGTERM while the chart is being installed", "installing the chart", "install", syscall.SIGTERM, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := look(t)
			r := start(t, test.line)
			r.wait(t, test.process)
			during, namespaces := look(t), namespacesOf(r.descendants(t))
			for _, kind := range []string{"link ", "cgroup ", "folder "} {
				if len(added(before, during, kind)) == 0 {
					t.Errorf("the run has no %sof its own, so that none can be left", kind)
				}
			}
			if len(namespaces) == 0 {
				t.Error("the run has no namespaces of its own")
			}
			r.signal(t, test.signal, test.toGroup)
			if said := r.said.String(); failedLine.MatchString(said) {
				t.Errorf("the run that was interrupted says that a spec failed:\n%s", said)
			}
			err := controlplane.Eventually(within(t, downLimit), func(context.Context) error {
				var problems []error
				for _, left := range added(before, look(t), "") {
					problems = append(problems, fmt.Errorf("left: %s", left))
				}
				for _, p := range processes(t) {
					if p.session == r.pid() {
						problems = append(problems, fmt.Errorf("still runs: %s", p))
					}
					for ns := range p.namespaces {
						if namespaces[ns] {
							problems = append(problems, fmt.Errorf("%s still has %s", p, ns))
						}
					}
				}
				return errors.Join(problems...)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// failedLine is how a spec that failed is told: when it ends, in the table, in the error.
var failedLine = regexp.MustCompile(`(?m)^( *\d+ s  )?failed +\d+ s|specs failed`)

// interrupted is a run of the command in a session of its own, as one in a terminal.
type interrupted struct {
	cmd   *exec.Cmd
	ended chan error
	// said is all of its output, when it has ended.
	said strings.Builder
}

// start starts a run and returns when it has said a line.
func start(t *testing.T, line string) *interrupted {
	t.Helper()
	r := &interrupted{cmd: exec.Command(os.Args[0], "-cloud=sim", "-focus=Local should work from pods"), ended: make(chan error, 1)}
	r.cmd.Env = append(os.Environ(), asCommand+"=1")
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := r.cmd.StderrPipe()
	r.cmd.Stdout = r.cmd.Stderr
	if err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-r.pid(), syscall.SIGKILL) }) // of a test that has failed before
	said := make(chan struct{})
	say := sync.OnceFunc(func() { close(said) })
	go func() {
		scanner := bufio.NewScanner(out)
		for scanner.Scan() {
			fmt.Fprintln(os.Stderr, scanner.Text())
			r.said.WriteString(scanner.Text() + "\n")
			if strings.Contains(scanner.Text(), line) {
				say()
			}
		}
		r.ended <- r.cmd.Wait()
	}()
	select {
	case <-said:
	case err := <-r.ended:
		t.Fatalf("the run ended before it said %q: %v", line, err)
	case <-within(t, upLimit).Done():
		t.Fatalf("the run did not say %q within %s", line, upLimit)
	}
	return r
}

func (r *interrupted) pid() int { return r.cmd.Process.Pid }

// wait waits until a process of the run has an argument that begins with a text.
func (r *interrupted) wait(t *testing.T, argument string) {
	t.Helper()
	err := controlplane.Eventually(within(t, downLimit), func(context.Context) error {
		for _, p := range r.descendants(t) {
			for _, arg := range p.args {
				if strings.HasPrefix(arg, argument) {
					return nil
				}
			}
		}
		return fmt.Errorf("no process of the run has the argument %q", argument)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// signal interrupts the run, and its children too where the signal is to their group, and waits for its end.
func (r *interrupted) signal(t *testing.T, signal syscall.Signal, toGroup bool) {
	t.Helper()
	target := r.pid()
	if toGroup {
		target = -target
	}
	if err := syscall.Kill(target, signal); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-r.ended:
		if exit, failed := errors.AsType[*exec.ExitError](err); !failed || exit.ExitCode() != 1 {
			t.Errorf("the run that was interrupted ended with %v, want status 1", err)
		}
	case <-within(t, downLimit).Done():
		t.Errorf("the run has not ended within %s", downLimit)
	}
}

// descendants are the processes that the run has started, in whatever namespace they are.
func (r *interrupted) descendants(t *testing.T) (list []process) {
	t.Helper()
	family := map[int]bool{r.pid(): true}
	all := processes(t)
	for before := 0; before < len(family); {
		before = len(family)
		for _, p := range all {
			if family[p.parent] {
				family[p.pid] = true
			}
		}
	}
	for _, p := range all {
		if family[p.pid] {
			list = append(list, p)
		}
	}
	return list
}

// namespacesOf are those of processes, without the machine's own.
func namespacesOf(list []process) map[string]bool {
	all := map[string]bool{}
	for _, p := range list {
		maps.Copy(all, p.namespaces)
	}
	for ns := range namespaces("self") {
		delete(all, ns)
	}
	return all
}

func within(t *testing.T, limit time.Duration) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit, fmt.Errorf("not within %s", limit))
	t.Cleanup(cancel)
	return ctx
}
