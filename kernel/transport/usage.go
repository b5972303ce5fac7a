package transport

import (
	"context"
	"sync"
)

// Usage is which answers the requests of a context got that are kept for a while, see cloud.API.Keep. Nil notes
// nothing.
type Usage struct {
	mu     sync.Mutex
	forget []func()
	// served says that an answer was not new.
	served bool
}

type usageKey struct{}

// WithUsage returns a context whose requests note which answers they got.
func WithUsage(ctx context.Context) (context.Context, *Usage) {
	use := &Usage{}
	return context.WithValue(ctx, usageKey{}, use), use
}

func usageOf(ctx context.Context) *Usage {
	use, _ := ctx.Value(usageKey{}).(*Usage)
	return use
}

func (u *Usage) add(forget func(), served bool) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget = append(u.forget, forget)
	u.served = u.served || served
}

// Drop has all of them asked for again, and reports whether one was not new.
func (u *Usage) Drop() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, forget := range u.forget {
		forget()
	}
	served := u.served
	u.forget, u.served = nil, false
	return served
}
