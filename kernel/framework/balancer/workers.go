package balancer

import "sync/atomic"

// workers counts the workers of the service controller that make a load balancer, and may wait for the rate limit. The last one is kept
// free: its Services are watched at once. Otherwise those whose load balancer is ready would wait behind all that are to
// be made, and those of one namespace behind those of another.
type workers struct {
	all  int
	busy atomic.Int32
}

// enter reports whether another worker may make a load balancer. leave has to follow then.
func (w *workers) enter() bool {
	if w.busy.Add(1) <= int32(max(1, w.all-1)) {
		return true
	}
	w.busy.Add(-1)
	return false
}

func (w *workers) leave() { w.busy.Add(-1) }
