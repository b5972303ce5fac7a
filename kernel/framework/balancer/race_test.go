//go:build race

package balancer

// The race detector makes TestHandovers many times slower.
func init() { fewer = 20 }
