package run

import (
	"context"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// usage is which answers a driver call was made of that may be kept. A nil usage notes nothing.
type usage struct {
	mu     sync.Mutex
	forget []func()
	// served says that an answer was not new.
	served bool
}

type usageKey struct{}

func usageOf(ctx context.Context) *usage {
	use, _ := ctx.Value(usageKey{}).(*usage)
	return use
}

func (u *usage) add(forget func(), served bool) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget = append(u.forget, forget)
	u.served = u.served || served
}

// drop has all of them asked for again, and reports whether one was not new.
func (u *usage) drop() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, forget := range u.forget {
		forget()
	}
	served := u.served
	u.forget, u.served = nil, false
	return served
}

// anew calls f, which reads. What it does not find, or could not read, in kept answers is asked for again at
// once: a machine may have come after them, and an answer without sense must not stay.
func anew[T any](ctx context.Context, c *caller, f func(context.Context) (T, error), absent func(T) bool) (T, error) {
	use := &usage{}
	ctx = context.WithValue(ctx, usageKey{}, use)
	result, err := f(ctx)
	wrong := err != nil && c.failure(err).Class != cloud.FailureThrottled
	if (wrong || err == nil && absent(result)) && use.drop() {
		return f(ctx)
	}
	return result, err
}
