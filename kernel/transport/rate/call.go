package rate

import (
	"context"
	"sync/atomic"
)

// Call is a call of a driver, which may send several requests, such as the pages of a list.
type Call struct {
	ended <-chan struct{}
	begun atomic.Bool
	// reads says that the call changes nothing: what of it has begun is worth nothing without the rest.
	reads bool
}

type callKey struct{}

// WithCall returns a context whose requests are those of one call, until it ends. reads says that it changes nothing.
func WithCall(ctx context.Context, reads bool) context.Context {
	return context.WithValue(ctx, callKey{}, &Call{ended: ctx.Done(), reads: reads})
}

// CallOf returns the call of which a context's requests are, nil for none.
func CallOf(ctx context.Context) *Call {
	call, _ := ctx.Value(callKey{}).(*Call)
	return call
}

// ifReads is the call, nil for one that changes something. c may be nil.
func (c *Call) ifReads() *Call {
	if c == nil || !c.reads {
		return nil
	}
	return c
}

// hasBegun reports whether a request of the call was sent. c may be nil.
func (c *Call) hasBegun() bool { return c != nil && c.begun.Load() }

// begin notes that a request of the call was sent. c may be nil.
func (c *Call) begin() {
	if c != nil {
		c.begun.Store(true)
	}
}

// hasEnded reports whether the call sends no more requests. c may be nil.
func (c *Call) hasEnded() bool {
	if c == nil {
		return true
	}
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}
