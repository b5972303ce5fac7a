package app

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/command"
)

const (
	exitOK      = 0
	exitFailure = 1
	// exitDifferent is that of `terraform plan -detailed-exitcode`.
	exitDifferent = 2
	exitAbsent    = 2
	// exitUsage is EX_USAGE of sysexits.h.
	exitUsage = 64
)

// ExitCode is a code with which a command ends.
type ExitCode struct {
	// Command is the name of the sub-command, "" for the controller manager.
	Command string
	Code    int
	// When says what has happened then.
	When string
}

// UsageExitCode is the code of all commands for a mistake on the command line or in the settings, which is told in one line.
var UsageExitCode = ExitCode{Code: exitUsage, When: "the command line or a setting is wrong"}

// ExitCodes returns the codes of all commands besides UsageExitCode.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{"", exitOK, "it was told to end"},
		{"", exitFailure, "it could not start or go on, or it lost its lease; also for a value that only the cloud, or a library of Kubernetes, can refuse, such as a region that the cloud does not have"},
		{"adopt", exitOK, "it has been said"},
		{"adopt", exitFailure, "something could not be read or planned"},
		{"adopt", exitDifferent, "with --check, the switch changes more than ownership tags, or the load balancers have those of another cluster"},
		{"completion", exitOK, "the script was printed"},
		{"doctor", exitOK, "no failure"},
		{"doctor", exitFailure, "there are failures, with --wait still at the end of that time"},
		{"doctor bundle", exitOK, "the archive was written"},
		{"doctor bundle", exitFailure, "it could not be written"},
		{"explain", exitOK, "it has been said"},
		{"explain", exitFailure, "something could not be read"},
		{"explain", exitAbsent, "there is no such Node or Service, or nothing is done about it"},
		{"plan", exitOK, "nothing to do"},
		{"plan", exitFailure, "something could not be planned, there is no such Service, or there is nothing to look at"},
		{"plan", exitDifferent, "there are differences"},
		{"providers", exitOK, "they were printed"},
		{"release-brake", exitOK, "the Nodes are let go"},
		{"release-brake", exitFailure, "it could not be asked for"},
		{"version", exitOK, "it was printed"},
	}
}

// exitCodesOf returns the codes of a command as a list for its help.
func exitCodesOf(name string) string {
	all := []string{"Exit codes:\n"}
	for _, c := range append(ExitCodes(), UsageExitCode) {
		if c.Command == name || c == UsageExitCode {
			all = append(all, fmt.Sprintf("- %d: %s", c.Code, c.When))
		}
	}
	return strings.Join(all, "\n")
}

// codeError is an error with an exit code of its own. Err is nil where everything has been told.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *codeError) Unwrap() error { return e.err }

// absentError says that what a command is about does not exist.
type absentError struct{ message string }

func (e *absentError) Error() string { return e.message }

func absentf(format string, args ...any) error { return &absentError{fmt.Sprintf(format, args...)} }

func usagef(format string, args ...any) error {
	return &command.UsageError{Message: fmt.Sprintf(format, args...)}
}

// exitCode returns the exit code for an error and prints it unless that has been done.
func exitCode(err error, out io.Writer) int {
	if err == nil {
		return exitOK
	}
	coded, ok := errors.AsType[*codeError](err)
	if _, printed := errors.AsType[*command.PrintedError](err); !printed && (!ok || coded.err != nil) {
		fmt.Fprintf(out, "Error: %v\n", err)
	}
	if ok {
		return coded.code
	}
	if _, usage := errors.AsType[*command.UsageError](err); usage {
		return exitUsage
	}
	return exitFailure
}
