package operation

import "time"

// Group is the operations of one change.
type Group struct {
	ids  []string
	done chan struct{}
	// since is when it was followed first: an answer to a request from before that does not tell its end.
	since time.Time
	// left is how many go on; the Tracker's lock guards it, and what follows until done is closed.
	left int
	err  error
	// unknown says that the cloud has not said of every one how it ended.
	unknown bool
	at      time.Time
}

// Done returns what is closed when all have ended.
func (g *Group) Done() <-chan struct{} { return g.done }

// Err returns the first failure, nil where there is none. It may be called when Done is closed.
func (g *Group) Err() error { return g.err }

// Succeeded reports whether the cloud has said of every one that it ended well. It may be called when Done is closed.
func (g *Group) Succeeded() bool { return g.err == nil && !g.unknown }

// At returns when the cloud had said so of the last one: the same time for all whose end one answer told. What is
// read from then on shows what they did. It may be called when Done is closed.
func (g *Group) At() time.Time { return g.at }

// Ended reports whether all have ended.
func (g *Group) Ended() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

// end notes that one has ended, and how. told says that the cloud has said that.
func (g *Group) end(err error, told bool, at time.Time) {
	if g.err == nil {
		g.err = err
	}
	g.unknown = g.unknown || !told
	if g.left--; g.left == 0 {
		g.at = at
		close(g.done)
	}
}
