package openstack

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// Switch is the environment variable that lets tests that need the lab run, see Run.
const Switch = "E2E_OPENSTACK"

// startLimit bounds the start of the lab, with the installation of packages.
const startLimit = 10 * time.Minute

// Run is the TestMain of a package whose tests need the lab; wanted is the value of Switch.
// Without it no test runs. With it, what is missing is a failure: nothing is skipped.
//
//	func TestMain(m *testing.M) { os.Exit(openstack.Run(m, os.Getenv(openstack.Switch))) }
func Run(m *testing.M, wanted string) int {
	if wanted == "" {
		fmt.Fprintln(os.Stdout, "not run: the tests on OpenStack; `make e2e-openstack` does that, as root")
		return 0
	}
	if _, err := shared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// shared is the lab of this process.
var shared = sync.OnceValues(func() (*Lab, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	return Start(ctx, os.Stderr)
})

// Require returns the lab, which it starts where it does not run.
func Require(t testing.TB) *Lab {
	t.Helper()
	l, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return l
}
