//go:build race

package balancer

// The race detector makes the tests of sequences many times slower.
func init() { fewer = 20 }
