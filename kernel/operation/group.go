package operation

// Group is the operations of one change.
type Group struct {
	ids  []string
	done chan struct{}
	// left is how many go on; the Tracker's lock guards it, and err until done is closed.
	left int
	err  error
}

// Done returns what is closed when all have ended.
func (g *Group) Done() <-chan struct{} { return g.done }

// Err returns the first failure, nil where there is none. It may be called when Done is closed.
func (g *Group) Err() error { return g.err }

// Ended reports whether all have ended.
func (g *Group) Ended() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

func (g *Group) end(err error) {
	if g.err == nil {
		g.err = err
	}
	if g.left--; g.left == 0 {
		close(g.done)
	}
}
