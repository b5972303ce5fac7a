// Package conformance is the specification of a driver, as a test suite: whatever the
// comments in kernel/cloud promise, Run checks against a driver and a cloud it can steer.
//
// A driver is done when its own test says
//
//	conformance.Run(t, conformance.Harness{New: newDriverOnTestCloud, …})
//
// and that test is green with -race. Golden plans live in the testdata folder of the
// package that calls Run and are rewritten with -update.
package conformance
