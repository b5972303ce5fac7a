// Package upstream_test sets AWS's own CCM beside this one, on the same cluster and the same account of a
// moto server: `make upstream-aws`.
package upstream_test

import (
	"fmt"
	"os"
	"testing"
)

// enabled is the environment variable that lets the tests run.
const enabled = "E2E_UPSTREAM"

func TestMain(m *testing.M) {
	if os.Getenv(enabled) == "" {
		fmt.Fprintln(os.Stdout, "not run: the tests beside AWS's own CCM; `make upstream-aws` does that")
		return
	}
	os.Exit(m.Run())
}
