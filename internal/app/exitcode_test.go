package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Every command has its codes in the table, and in its help; nobody else has.
func TestEveryCommandHasExitCodes(t *testing.T) {
	names := []string{""}
	for _, cmd := range Subcommands() {
		names = append(names, cmd.Name())
		if !strings.Contains(cmd.Long, exitCodesOf(cmd.Name())) {
			t.Errorf("the help of %s does not say its exit codes", cmd.Name())
		}
		for _, part := range cmd.Commands() {
			names = append(names, part.CommandPath())
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(ExitCodes(), func(c ExitCode) bool { return c.Command == name && c.Code == exitOK }) {
			t.Errorf("command %q has no exit codes", name)
		}
	}
	for _, c := range ExitCodes() {
		if !slices.Contains(names, c.Command) {
			t.Errorf("%q is no command", c.Command)
		}
	}
}

// A name that is no controller's is refused before anything is asked for, by all commands with the same words.
func TestMistypedController(t *testing.T) {
	const want = `Error: --controllers: "kubelet-serving-certificates" is no controller: want * or names, with - before those that are off: cloud-firewall-controller, `
	for _, command := range []string{"", "doctor node ", "explain node a ", "plan "} {
		cmd, err := newRootCommand("cloud-controller-manager")
		if err != nil {
			t.Fatal(err)
		}
		cmd.SetArgs(strings.Fields(command + "--kubeconfig=/nowhere --controllers=*,kubelet-serving-certificates"))
		cmd.SilenceErrors = true
		var out strings.Builder
		if code := exitCode(cmd.Execute(), &out); code != exitUsage || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%q: code %d, %s", command, code, out.String())
		}
	}
}

func TestExitCode(t *testing.T) {
	plain := errors.New("plain")
	for name, tt := range map[string]struct {
		err  error
		want int
		said string
	}{
		"nothing":           {nil, exitOK, ""},
		"an error":          {plain, exitFailure, "Error: plain\n"},
		"a mistake":         {fmt.Errorf("plan: %w", usagef("--x")), exitUsage, "Error: plan: --x\n"},
		"told already":      {&codeError{code: exitDifferent}, exitDifferent, ""},
		"a code of its own": {&codeError{exitDifferent, plain}, exitDifferent, "Error: plain\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if got := exitCode(tt.err, &out); got != tt.want || out.String() != tt.said {
				t.Errorf("code %d and %q, want %d and %q", got, out.String(), tt.want, tt.said)
			}
		})
	}
}
