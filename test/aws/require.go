package aws

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// Switch is the environment variable that lets tests that need moto run, see Run.
const Switch = "E2E_AWS"

// startLimit bounds the start of the server, with the installation of its packages.
const startLimit = 5 * time.Minute

// Run is the TestMain of a package whose tests need moto; wanted is the value of Switch. Without
// it no test runs. With it, what is missing is a failure: nothing is skipped.
func Run(m *testing.M, wanted string) int {
	if wanted == "" {
		fmt.Fprintln(os.Stdout, "not run: the tests on AWS's APIs; `make e2e-aws` does that")
		return 0
	}
	forgetEnvironment()
	server, err := shared()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Stop()
	return m.Run()
}

// forgetEnvironment keeps the SDK from what it is told on this machine: the tests say all of it.
func forgetEnvironment() {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "AWS_") {
			_ = os.Unsetenv(name) // fails for names that can't be
		}
	}
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		_ = os.Setenv(name, os.DevNull) // as above
	}
}

// shared is the server of this process.
var shared = sync.OnceValues(func() (*Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	return Start(ctx, os.Stderr)
})

// Require returns the server, which it starts where it does not run.
func Require(t testing.TB) *Server {
	t.Helper()
	server, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// Missing says in one line what this machine lacks to run moto, nil when nothing.
func Missing() error {
	if err := exec.Command("python3", "-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))").Run(); err != nil {
		return errors.New("moto needs Python 3.11 or newer with venv: on Debian, apt-get install python3-venv")
	}
	return nil
}
