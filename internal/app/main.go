package app

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // build_info
)

// Main runs the command line of this process and returns its exit code. Providers must
// have been registered before. A private cloud's binary needs nothing else:
//
//	func main() {
//		registry.Register(registry.Provider{…})
//		os.Exit(app.Main())
//	}
func Main() int {
	collectSooner()
	cmd, err := newRootCommand(os.Args[0])
	if err == nil {
		err = cli.RunNoErrOutput(cmd)
	}
	return exitCode(err, os.Stderr)
}
