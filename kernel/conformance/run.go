package conformance

import "testing"

// Run checks everything the driver contract promises, each promise as a sub-test.
func Run(t *testing.T, h Harness) { t.Helper() }
