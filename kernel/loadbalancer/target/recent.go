package target

import (
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// recentAge is how long candidates serve the next Services: about as long as a pass over all of them takes.
const recentAge = 2 * time.Second

// Recent remembers the candidates of each label selection for a moment, so that a pass over many Services
// computes them once. They serve for the same list of the same Nodes and the same knowledge of machines, and only where
// nothing was in doubt. Nodes are the same when they are the same objects, which nobody changes: a cache puts another
// object in the place of one that has changed. The zero Recent is empty; nothing is kept between passes.
type Recent struct {
	mu    sync.Mutex
	known map[string]recent
	clear *time.Timer
	// busy are the selections whose candidates are being computed; a channel is closed when they are.
	busy map[string]chan struct{}
}

// recent are the candidates of one selection.
type recent struct {
	nodes      []*corev1.Node
	machines   any
	at         time.Time
	candidates Candidates
}

// get returns the candidates of a selection, and false when they are not known.
func (r *Recent) get(selection string, nodes []*corev1.Node, machines any) (Candidates, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.known[selection]
	return known.candidates, ok && slices.Equal(known.nodes, nodes) && known.machines == machines && time.Since(known.at) < recentAge
}

// set remembers candidates until recentAge after the last ones.
func (r *Recent) set(selection string, nodes []*corev1.Node, machines any, c Candidates) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]recent{}
	}
	r.known[selection] = recent{nodes, machines, time.Now(), c}
	if r.clear != nil {
		r.clear.Stop()
	}
	r.clear = time.AfterFunc(recentAge, r.forget)
}

// turn waits for those who compute the candidates of the selection, so that 50 Services that are looked at in the same
// moment do not make 50 copies of all machines. It waits for one of them only: what that one computed may not be certain,
// and each needs its own then. It returns what to call when the candidates are there.
func (r *Recent) turn(ctx context.Context, selection string) (done func()) {
	r.mu.Lock()
	busy, ok := r.busy[selection]
	if !ok {
		if r.busy == nil {
			r.busy = map[string]chan struct{}{}
		}
		busy = make(chan struct{})
		r.busy[selection] = busy
	}
	r.mu.Unlock()
	if ok {
		select {
		case <-busy:
		case <-ctx.Done():
		}
		return func() {}
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.busy, selection)
		close(busy)
	}
}

func (r *Recent) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = nil
}

// certain reports whether the same Nodes and machines give the same candidates: nothing was read beside
// the list of machines, or could not be, and no Node describes its machine by more than is compared.
func (c Candidates) certain() bool {
	if c.Err != nil || len(c.unknown) > 0 || len(c.named) > 0 || c.unidentified {
		return false
	}
	for i := range c.Targets {
		if c.Targets[i].InstanceID.Described() {
			return false
		}
	}
	return true
}
