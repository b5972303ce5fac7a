package app

import (
	"errors"
	"fmt"
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // build_info
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// usageError is an error in what the user typed: it is printed as one line and the process
// exits with 2 before anything has started.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// Main runs the command line of this process and returns its exit code. Providers must
// have been registered before. A private cloud's binary needs nothing else:
//
//	func main() {
//		registry.Register(registry.Provider{…})
//		os.Exit(app.Main())
//	}
func Main() int {
	err := cli.RunNoErrOutput(newRootCommand(os.Stdout))
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(os.Stderr, "Error: %v\n", err)
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	return exitFailure
}
