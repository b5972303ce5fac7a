package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// namespace is a set of Linux namespaces that a process holds. With that process they end,
// and what else is in them when there is a process namespace among them.
type namespace struct {
	holder *process.Process
	flags  []string // of nsenter
}

// run runs a program to its end and returns what it says on standard output. The error
// quotes the rest.
func (n namespace) run(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "nsenter", n.enter(args)...)
	return output(cmd, stdin, args)
}

// start starts a program that stays, with its log in dir.
func (n namespace) start(dir, name string, args ...string) (*process.Process, error) {
	nsenter, err := exec.LookPath("nsenter")
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return process.Start(process.Spec{Name: name, Dir: dir, Path: nsenter, Args: n.enter(args)})
}

func (n namespace) enter(args []string) []string {
	return slices.Concat([]string{"-t", strconv.Itoa(n.holder.PID())}, n.flags, []string{"--"}, args)
}

// command runs a program of the machine itself.
func command(ctx context.Context, args ...string) error {
	_, err := output(exec.CommandContext(ctx, args[0], args[1:]...), nil, args)
	return err
}

func output(cmd *exec.Cmd, stdin io.Reader, args []string) (string, error) {
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &problem
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("running %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(problem.String()))
	}
	return out.String(), nil
}
