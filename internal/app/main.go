package app

import (
	"fmt"
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // build_info

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/command"
)

// Exit codes. A usage error is printed as one line before anything has started.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

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

func usagef(format string, args ...any) error {
	return &command.UsageError{Message: fmt.Sprintf(format, args...)}
}

// Main runs the command line of this process and returns its exit code. Providers must
// have been registered before. A private cloud's binary needs nothing else:
//
//	func main() {
//		registry.Register(registry.Provider{…})
//		os.Exit(app.Main())
//	}
func Main() int {
	collectSooner()
	cmd, err := newRootCommand()
	if err == nil {
		err = cli.RunNoErrOutput(cmd)
	}
	return exitCode(err, os.Stderr)
}
